"""Runs the ilt command: what works, and each bad input with its one clear error and nothing half written."""

import json
import os
import shutil
import signal
import struct
import subprocess
import tempfile
import unittest
from pathlib import Path

import tiny_model

ILT = os.environ["ILT"]
SOURCE = Path(os.environ["ILT_SOURCE"])
CHECKPOINT = SOURCE / "tests/data/llama/tied"


def ilt(*args: object, stdin: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run([ILT, *map(str, args)], input=stdin, capture_output=True, text=True, timeout=120, check=False)


class Case(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="ilt-cli-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.model = self.folder / "model"
        tiny_model.make(CHECKPOINT, self.model)
        self.data = self.folder / "model.jsonl"
        self.out = self.folder / "out"

    def train_args(self, **changes: object) -> list[str]:
        options = {
            "model-path": self.model,
            "data-path": self.data,
            "ckpt-output-dir": self.out,
            "effective-batch-size": 2,
            "max-seq-len": 128,
            "max-batch-len": 256,
            "learning-rate": 1e-3,
            "num-threads": 1,
        } | {name.replace("_", "-"): value for name, value in changes.items()}
        return ["train", *(f"--{name}={value}" for name, value in options.items())]

    def fails(self, code: int, part: str, *args: object, stdin: str = "") -> None:
        result = ilt(*args, stdin=stdin)
        errors = [line for line in result.stderr.splitlines() if line.startswith("ilt: error: ")]
        self.assertEqual(result.returncode, code, result.stderr)
        self.assertEqual(len(errors), 1, result.stderr)
        self.assertEqual(result.stderr.splitlines()[-1], errors[0])
        self.assertIn(part, errors[0])

    def saved(self) -> list[str]:
        return sorted(p.name for p in self.out.glob("hf_format/*"))


class Usage(Case):
    def test_help_and_version(self) -> None:
        self.assertEqual(ilt("--version").stdout.split()[0], "ilt")
        self.assertIn("--max-batch-len", ilt("train", "--help").stdout)

    def test_wrong_usage_is_2(self) -> None:
        self.fails(2, "subcommand")
        self.fails(2, "unexpected argument 'fly'", "fly")
        self.fails(2, "did you mean --learning-rate?", "train", "--learning-rat", "1")
        self.fails(2, "did you mean 'seed'?", *self.train_args(), "--set", "sed=1")
        self.fails(2, "NAME=VALUE", *self.train_args(), "--set", "seed")
        self.fails(2, "an integer >= 1", *self.train_args(effective_batch_size=0))
        self.fails(2, "got 'many'", *self.train_args(effective_batch_size="many"))
        self.fails(2, "an integer >= 1", *self.train_args(max_batch_len=0))
        self.fails(2, "give --data-path", "train", "--model-path", self.model)
        self.fails(2, "give --ckpt-output-dir", *self.train_args(ckpt_output_dir=""))
        self.fails(2, "'model_path' is required", "score")
        self.fails(2, "[--prompt,", "generate", "--model-path", self.model)

    def test_config_file(self) -> None:
        path = self.folder / "run.json"
        path.write_text('{"num_epoch": 1}')
        self.fails(2, "run.json: unknown option 'num_epoch'; did you mean 'num_epochs'?", "train", "--config", path)
        path.write_text('{"num_epochs": 1,}')
        self.fails(1, "run.json: ", "train", "--config", path)
        self.fails(1, "no.json", "train", "--config", self.folder / "no.json")

    def test_schema_and_reference_page(self) -> None:
        self.assertIn("seed", json.loads(ilt("config").stdout)["properties"])
        page = (SOURCE / "docs/config.md").read_text(encoding="utf-8")
        self.assertEqual(ilt("config", "--markdown").stdout, page, "run: ilt config --markdown > docs/config.md")

    def test_model_families_and_their_page(self) -> None:
        self.assertIn("Qwen3ForCausalLM", [family["architecture"] for family in json.loads(ilt("models").stdout)])
        page = (SOURCE / "docs/models.md").read_text(encoding="utf-8")
        self.assertEqual(ilt("models", "--markdown").stdout, page, "run: ilt models --markdown > docs/models.md")

    def test_devices(self) -> None:
        self.assertTrue(ilt("devices").stdout.startswith("cpu"))


class Works(Case):
    def test_train_score_generate(self) -> None:
        config = self.folder / "run.json"
        config.write_text(json.dumps({"num_epochs": 1, "random_seed": 5}))
        result = ilt(*self.train_args(), "--config", config, "--num_epochs", "2", "--no-shuffle")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("step 4/4", result.stderr)
        self.assertEqual(self.saved(), ["samples_4", "samples_8"])
        lines = (self.out / "training_params_and_metrics_global0.jsonl").read_text().splitlines()
        records = [json.loads(line) for line in lines]
        self.assertEqual((records[0]["seed"], records[0]["shuffle"]), (5, False))
        self.assertEqual([record["step"] for record in records[1:]], [1, 2, 3, 4])

        model = self.out / "hf_format/samples_8"
        scores = ilt("score", "--model-path", model, stdin="[1, 20, 30]\n\n[1, 2]\n")
        self.assertEqual(scores.returncode, 0, scores.stderr)
        self.assertEqual([len(json.loads(line)["logprobs"]) for line in scores.stdout.splitlines()], [2, 1])
        answer = ilt("generate", "--model-path", model, "--message", "Hi", "--max-new-tokens", "4")
        self.assertEqual(answer.returncode, 0, answer.stderr)
        self.assertTrue(answer.stdout.endswith("\n"))
        raw = ilt("generate", "--model-path", model, "--prompt", "Hi", "--temperature", "1", "--seed", "3")
        self.assertEqual(raw.returncode, 0, raw.stderr)

    def test_interrupt_stops_between_steps(self) -> None:
        args = [ILT, *self.train_args(max_steps=1000000)]
        with subprocess.Popen(args, stderr=subprocess.PIPE, text=True) as process:
            assert process.stderr is not None
            for line in process.stderr:
                if line.startswith("step 3/"):
                    process.send_signal(signal.SIGINT)
                    break
            rest = process.stderr.read()
        self.assertEqual(process.returncode, 130, rest)
        self.assertIn("ilt: stopped after step", rest)
        self.assertEqual(len(self.saved()), len([n for n in self.saved() if n.startswith("samples_") and "." not in n]))


class BadModels(Case):
    def refuses(self, part: str, code: int = 1) -> None:
        self.fails(code, part, *self.train_args())
        self.assertEqual(self.saved(), [])
        self.fails(code, part, "score", "--model-path", self.model, stdin="[1, 2]\n")

    def change_config(self, **changes: object) -> None:
        path = self.model / "config.json"
        path.write_text(json.dumps(json.loads(path.read_text()) | changes))

    def weights(self) -> bytearray:
        return bytearray((self.model / "model.safetensors").read_bytes())

    def test_missing_folder(self) -> None:
        shutil.rmtree(self.model)
        self.refuses(str(self.model))

    def test_missing_weights(self) -> None:
        (self.model / "model.safetensors").unlink()
        self.refuses("safetensors")

    def test_unknown_architecture(self) -> None:
        self.change_config(architectures=["NoSuchModelForCausalLM"], model_type="no_such")
        self.refuses("NoSuchModelForCausalLM")

    def test_broken_config(self) -> None:
        (self.model / "config.json").write_text('{"architectures": [')
        self.refuses("config.json")

    def test_broken_header(self) -> None:
        bytes_ = self.weights()
        bytes_[8:12] = b"oops"
        (self.model / "model.safetensors").write_bytes(bytes_)
        self.refuses("model.safetensors")

    def test_header_longer_than_the_file(self) -> None:
        bytes_ = self.weights()
        bytes_[:8] = struct.pack("<Q", 1 << 60)
        (self.model / "model.safetensors").write_bytes(bytes_)
        self.refuses("model.safetensors")

    def test_truncated_file(self) -> None:
        (self.model / "model.safetensors").write_bytes(self.weights()[:-100])
        self.refuses("model.safetensors")

    def test_wrong_dtype(self) -> None:
        (self.model / "model.safetensors").write_bytes(self.weights().replace(b'"F32"', b'"I32"'))
        self.refuses("I32")

    def test_wrong_shape(self) -> None:
        self.change_config(intermediate_size=64)
        self.refuses("64")


class BadData(Case):
    def test_typo_in_a_line(self) -> None:
        self.data.write_text(self.data.read_text() + '{"messages": [}\n')
        self.fails(1, "model.jsonl", *self.train_args())
        self.assertEqual(self.saved(), [])

    def test_empty_and_missing_file(self) -> None:
        self.data.write_text("")
        self.fails(1, "model.jsonl", *self.train_args())
        self.data.unlink()
        self.fails(1, "model.jsonl", *self.train_args())

    def test_no_chat_template(self) -> None:
        path = self.model / "tokenizer_config.json"
        config = json.loads(path.read_text())
        del config["chat_template"]
        path.write_text(json.dumps(config))
        self.fails(1, "template", *self.train_args())
        self.fails(1, "template", "generate", "--model-path", self.model, "--message", "Hi")

    def test_bad_score_input(self) -> None:
        output = self.folder / "scores"
        args = ["score", "--model-path", self.model, "--output", output]
        self.fails(1, "input line 2", *args, stdin="[1, 2]\n[1]\n")
        self.fails(1, "input line 1", *args, stdin="[1, 999]\n")
        self.assertEqual([p.name for p in self.folder.iterdir() if p.name.startswith("scores")], [])

    def test_bad_generation_options(self) -> None:
        self.fails(2, "top_p", "generate", "--model-path", self.model, "--prompt", "Hi", "--top-p", "2")


class FullDisk(Case):
    def test_save(self) -> None:
        disk = self.folder / "disk"
        disk.mkdir()
        mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(disk)]
        if os.geteuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode != 0:
            self.skipTest("needs the right to mount a small tmpfs")
        self.addCleanup(subprocess.run, ["umount", str(disk)], check=True)
        self.out = disk / "out"
        self.fails(1, "space", *self.train_args(max_steps=1))
        self.assertEqual(self.saved(), [])


if __name__ == "__main__":
    unittest.main()
