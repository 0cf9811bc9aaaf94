#!/usr/bin/env python3
"""Compares `ilt` with transformers on SmolLM2-135M: the losses of 20 steps, and the scores of checkpoints.

    parity.py golden [STEPS]   `ilt train` and `ilt score` against tests/data/smollm2/golden.json; Python alone is enough.
                               STEPS stops after so many of the 20
    parity.py live             the same against transformers running now, and the checkpoint in out/quickstart: what
                               `ilt score` says of it against what transformers says

Each step's loss, gradient norm and learning rate agree within 1e-3 of their size, the counts exactly; log-probabilities
within 1e-3. Exits with 1 where something does not.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
ILT = ROOT / "build/bin/ilt"
MODEL = ROOT / ".deps/models/smollm2-135m"
GOLDEN = ROOT / "tests/data/smollm2/golden.json"
TOLERANCE = 1e-3
# golden.json's name, the metrics file's, whether it has to be equal
FIELDS = (("lr", "lr", False), ("loss", "avg_loss", False), ("grad_norm", "gradnorm", False),
          ("targets", "num_loss_counted_tokens", True), ("tokens", "num_tokens_rank0", True),
          ("samples", "batch_size", True))


def ilt(*arguments, stdin=None):
    done = subprocess.run([ILT, *map(str, arguments)], input=stdin, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"ilt {arguments[0]} failed with {done.returncode}:\n{done.stderr}")
    return done.stdout


def train(run, out, steps):
    """The metrics of each step of `ilt train` on the golden run, stopped after `steps` of it."""
    arguments = ["train", "--model-path", MODEL, "--data-path", ROOT / run["data_path"], "--ckpt-output-dir", out,
                 "--effective-batch-size", run["effective_batch_size"], "--max-batch-len", 2048, "--max-seq-len", 512,
                 "--max-steps", run["max_steps"], "--learning-rate", run["learning_rate"],
                 "--warmup-steps", run["warmup_steps"], "--lr-scheduler", run["lr_scheduler"], "--no-shuffle"]
    metrics = pathlib.Path(out) / "training_params_and_metrics_global0.jsonl"

    def records():
        lines = metrics.read_text().split("\n")[:-1] if metrics.exists() else []
        return [r for r in map(json.loads, lines) if "avg_loss" in r]

    if steps >= run["max_steps"]:
        ilt(*arguments)
        return records()
    child = subprocess.Popen([ILT, *map(str, arguments)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        while child.poll() is None and len(records()) < steps:
            try:
                child.wait(0.5)
            except subprocess.TimeoutExpired:
                pass
    finally:
        child.terminate()
        child.wait()
    return records()[:steps]


def score(model, ids):
    line = ilt("score", "--model-path", model, stdin=json.dumps(ids) + "\n").splitlines()[-1]
    return json.loads(line)["logprobs"]


def compare_steps(expected, got):
    failures, worst = [], {}
    if len(got) != len(expected):
        failures.append(f"{len(got)} steps, expected {len(expected)}")
    for want, have in zip(expected, got):
        for name, metric, exact in FIELDS:
            a, b = want[name], have[metric]
            error = abs(a - b) / max(abs(a), 1e-12) if a else abs(b)
            worst[name] = max(worst.get(name, 0.0), error)
            if error > (0 if exact else TOLERANCE):
                failures.append(f"step {want['step']}: {metric} is {b}, transformers has {a}")
    print("steps  ", len(got), " largest relative differences:", ", ".join(f"{k} {v:.1e}" for k, v in worst.items()))
    return failures


def compare_scores(name, expected, got):
    error = max(abs(a - b) for a, b in zip(expected, got)) if len(expected) == len(got) else float("inf")
    print(f"scores  {name}: largest difference of {len(got)} log-probabilities {error:.1e}")
    return [f"scores of {name} differ by {error}"] if error > TOLERANCE else []


def last_checkpoint(out):
    folders = sorted((out / "hf_format").glob("samples_*"), key=lambda p: int(p.name.split("_")[1]))
    return folders[-1] if folders else None


def against(golden, steps):
    """Compares with a golden run; its score after training too, where all of it is run."""
    ids = golden["score"]["ids"]
    failures = compare_scores("the model", golden["score"]["logprobs_before"], score(MODEL, ids))
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder)
        failures += compare_steps(golden["steps"][:steps], train(golden["run"], out, steps))
        if steps >= golden["run"]["max_steps"]:
            # The checkpoint is stored in bf16, so its scores are only near those of the fp32 weights: not compared.
            if last_checkpoint(out) is None:
                failures.append("ilt train left no checkpoint")
    return failures


def live():
    sys.path.insert(0, str(ROOT / "tools/goldens"))
    import smollm2_goldens as reference
    model, samples = reference.load(MODEL)
    golden = json.loads(GOLDEN.read_text())
    golden["score"]["logprobs_before"] = reference.score(model, golden["score"]["ids"])
    golden["steps"] = reference.train(model, samples)
    failures = against(golden, golden["run"]["max_steps"])
    checkpoint = last_checkpoint(ROOT / "out/quickstart")
    if checkpoint is None:
        return failures + ["no checkpoint in out/quickstart: run `make quickstart` first"]
    model, samples = reference.load(checkpoint)
    for ids, _ in samples[:4]:
        failures += compare_scores(checkpoint.name, reference.score(model, ids), score(checkpoint, ids))
    return failures


SKIPPED = 77  # what ctest counts as skipped


def main():
    if not (MODEL / "config.json").exists():
        print(f"{MODEL} is not there: `make test` makes it")
        return SKIPPED
    what = sys.argv[1] if len(sys.argv) > 1 else "golden"
    if what == "live":
        failures = live()
    elif what == "golden":
        golden = json.loads(GOLDEN.read_text())
        failures = against(golden, int(sys.argv[2]) if len(sys.argv) > 2 else golden["run"]["max_steps"])
    else:
        sys.exit(__doc__)
    print("\n".join(failures) or "parity: all within 1e-3")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
