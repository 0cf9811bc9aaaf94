#!/usr/bin/env python3
"""Trains every tiny checkpoint of tests/data with `ilt train`, and lets transformers load what it saves.

    check_exports.py [NAME...]        (default: all; NAME as models/qwen3)

Each is trained for two steps at a rate that moves every weight. The saved model must have the tensors of the checkpoint
(names, shapes, types) and its config.json, value for value; transformers must load it without a missing or unexpected
tensor and give each token the log-probability that `ilt score` gives it. Needs torch and transformers
(tools/requirements/parity.txt); `make parity` runs it.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

os.environ["HF_HUB_OFFLINE"] = "1"
import torch  # noqa: E402
from safetensors import safe_open  # noqa: E402
from transformers import AutoModelForCausalLM  # noqa: E402
from transformers.utils import logging  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[1]
DATA = ROOT / "tests/data"
ILT = ROOT / "build/bin/ilt"
TOLERANCE = 2e-5


def run(*arguments):
    result = subprocess.run([ILT, *map(str, arguments)], capture_output=True, text=True, check=False)
    if result.returncode:
        raise RuntimeError(result.stderr.strip().splitlines()[-1])
    return result.stdout


def tokenizer(vocab):
    """One word for each id, which nothing here needs to encode."""
    return {"version": "1.0", "added_tokens": [], "model": {
        "type": "WordLevel", "vocab": {f"w{i}": i for i in range(vocab)}, "unk_token": "w0"}}


def describe(file):
    with safe_open(file, "pt") as f:
        return {name: (f.get_slice(name).get_dtype(), tuple(f.get_slice(name).get_shape())) for name in f.keys()}


def check(name, scratch):
    """The largest difference of a log-probability."""
    model = scratch / "model"
    shutil.copytree(DATA / name, model, ignore=shutil.ignore_patterns("golden*", "grads*", "expected*", "config_old*"))
    config = json.loads((model / "config.json").read_text())
    (model / "tokenizer.json").write_text(json.dumps(tokenizer(config["vocab_size"])))
    ids = torch.randint(3, config["vocab_size"], (24,), generator=torch.Generator().manual_seed(3)).tolist()
    (scratch / "data.jsonl").write_text(2 * (json.dumps({"input_ids": ids, "labels": ids}) + "\n"))
    run("train", f"--model-path={model}", f"--data-path={scratch / 'data.jsonl'}", f"--ckpt-output-dir={scratch / 'out'}",
        "--effective-batch-size=2", "--max-seq-len=64", "--max-batch-len=64", "--learning-rate=0.01", "--max-steps=2",
        "--num-threads=1")
    saved = scratch / "out/hf_format/samples_4"
    before, after = describe(model / "model.safetensors"), describe(saved / "model.safetensors")
    if before != after:
        raise RuntimeError(f"other tensors: {sorted(set(before.items()) ^ set(after.items()))[:4]}")
    if json.loads((saved / "config.json").read_text()) != config:
        raise RuntimeError("another config.json")
    (scratch / "ids.jsonl").write_text(json.dumps(ids) + "\n")
    scores = json.loads(run("score", "--model-path", saved, "--input", scratch / "ids.jsonl"))["logprobs"]
    loaded, report = AutoModelForCausalLM.from_pretrained(saved, dtype=torch.float32, attn_implementation="eager",
                                                          output_loading_info=True)
    wrong = {key: value for key, value in report.items() if value}
    if wrong:
        raise RuntimeError(f"transformers says {wrong}")
    with torch.no_grad():
        logits = loaded(input_ids=torch.tensor([ids])).logits[0].float()
    expected = logits.log_softmax(-1)[:-1].gather(1, torch.tensor(ids[1:])[:, None])[:, 0]
    return (expected - torch.tensor(scores)).abs().max().item()


def main():
    torch.set_num_threads(1)
    logging.disable_progress_bar()
    logging.set_verbosity_error()
    names = sys.argv[1:] or sorted(str(path.parent.relative_to(DATA)) for group in ("llama", "models")
                                   for path in (DATA / group).glob("*/golden.safetensors"))
    failed = 0
    for name in names:
        with tempfile.TemporaryDirectory(prefix="ilt-export-") as scratch:
            try:
                worst = check(name, pathlib.Path(scratch))
                problem = f"a log-probability is off by {worst:.1e}" if worst > TOLERANCE else ""
            except (RuntimeError, ValueError, OSError) as error:
                worst, problem = float("nan"), str(error)
        failed += bool(problem)
        print(f"{name:28s} {problem or f'ok, log-probabilities within {worst:.1e}'}", flush=True)
    print(f"{len(names) - failed} of {len(names)} exports are as they should be")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
