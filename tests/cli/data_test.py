"""Runs ilt data: process, inspect and stats on records and processed files."""

import gzip
import json
import signal
import subprocess
import time

from cli_test import ILT, Case, ilt, unittest

RECORD = {"messages": [{"role": "user", "content": "Hi <b> & bye"}, {"role": "assistant", "content": "Yes\nno"}]}


class Data(Case):
    def setUp(self) -> None:
        super().setUp()
        self.processed = self.folder / "data.safetensors"

    def process(self, *more: object) -> None:
        result = ilt("data", "process", "--model-path", self.model, "--data-path", self.data, "--output", self.processed,
                     *more)
        self.assertEqual(result.returncode, 0, result.stderr)

    def inspect(self, *args: object) -> str:
        result = ilt("data", "inspect", *args)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return result.stdout

    def test_processed_data_train_as_records_do(self) -> None:
        self.process()
        self.assertFalse((self.folder / "data.safetensors.partial").exists())
        losses = []
        for data in (self.data, self.processed):
            out = self.folder / data.name.replace(".", "_")
            result = ilt(*self.train_args(data_path=data, ckpt_output_dir=out))
            self.assertEqual(result.returncode, 0, result.stderr)
            lines = (out / "training_params_and_metrics_global0.jsonl").read_text().splitlines()
            losses.append([json.loads(line)["loss"] for line in lines[1:]])
        self.assertEqual(losses[0], losses[1])

    def test_inspect_shows_what_is_learnt(self) -> None:
        self.data.write_text(json.dumps(RECORD) + "\n")
        self.process()
        rows = [json.loads(line) for line in self.inspect("--data-path", self.processed, "--json").splitlines()]
        self.assertEqual([row["index"] for row in rows], [0])
        learnt = [label for label in rows[0]["labels"] if label != -100]
        self.assertTrue(0 < len(learnt) < len(rows[0]["input_ids"]))
        for data in (self.data, self.processed):
            text = self.inspect("--data-path", data, "--model-path", self.model)
            self.assertIn("assistant\n⟦Yes\nno<|im_end|>⟧\n", text)
        page = self.folder / "page.html"
        self.inspect("--data-path", self.data, "--model-path", self.model, "--html", page)
        html = page.read_text()
        self.assertIn('<b title="', html)
        self.assertIn(">&lt;</span>", html)
        self.assertNotIn("<script", html)
        self.fails(2, "--model-path", "data", "inspect", "--data-path", self.processed)
        self.fails(1, "--model-path", "data", "inspect", "--json", "--data-path", self.data)
        self.fails(1, "there are 1 samples", "data", "inspect", "--json", "--data-path", self.processed, "--first", 1)

    def test_stats_count(self) -> None:
        rows = self.data.read_text() + json.dumps({"messages": [{"role": "system", "content": "Only this."}]}) + "\n"
        self.data.with_suffix(".jsonl.gz").write_bytes(gzip.compress(rows.encode()))
        self.data = self.data.with_suffix(".jsonl.gz")
        self.process("--min-seq-len", 3)
        result = ilt("data", "stats", "--data-path", self.processed, "--json", "--max-batch-len", 256,
                     "--effective-batch-size", 2)
        stats = json.loads(result.stdout)
        self.assertEqual(stats["dropped"], {"no supervised token": 1})
        self.assertEqual(stats["records"], stats["samples"] + 1)
        self.assertEqual(sum(bin["samples"] for bin in stats["lengths"]["histogram"]), stats["samples"])
        self.assertGreater(stats["packing"]["fill"], 0.2)
        text = ilt("data", "stats", "--data-path", self.processed, "--max-batch-len", 256).stdout
        self.assertIn("dropped, no supervised token 1", " ".join(text.split()))
        self.assertIn('turns end with "<|im_end|>"', " ".join(text.split()))
        self.fails(1, "does not fit", "data", "stats", "--data-path", self.processed, "--max-batch-len", 4)

    def test_a_stopped_process_goes_on(self) -> None:
        line = json.dumps(RECORD)
        padding = " " * 2000
        self.data.write_text("".join(f"{padding}{line}\n" for _ in range(20000)))
        command = [ILT, "data", "process", "--model-path", str(self.model), "--data-path", str(self.data), "--output",
                   str(self.processed)]
        partial = self.folder / "data.safetensors.partial"
        for _ in range(20):
            child = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
            while child.poll() is None and not partial.exists():
                time.sleep(0.005)
            time.sleep(0.05)
            child.send_signal(signal.SIGTERM)
            _, errors = child.communicate()
            if child.returncode == 0:
                break
            self.assertIn(child.returncode, (143, -signal.SIGTERM), errors)  # the latter before there is a handler
            self.assertFalse(self.processed.exists())
        self.process()
        stats = json.loads(ilt("data", "stats", "--data-path", self.processed, "--json").stdout)
        self.assertEqual((stats["records"], stats["samples"]), (20000, 20000))
        self.assertFalse(partial.exists())

    def test_bad_input_leaves_nothing(self) -> None:
        before = sorted(p.name for p in self.folder.iterdir())
        args = ["data", "process", "--model-path", self.model, "--output", self.processed, "--data-path"]
        self.fails(2, "--output", "data", "process", "--model-path", self.model, "--data-path", self.data)
        self.fails(2, "ilt data process --help", *args, self.data, "--bogus", 1)
        self.fails(2, "--data-path", *args[:-1])
        self.fails(1, "/no/such.jsonl", *args, "/no/such.jsonl")
        self.fails(2, "chat_template_date", *args, self.data, "--chat-template-date", "yesterday")
        bad = self.folder / "bad.jsonl.gz"
        bad.write_bytes(gzip.compress(self.data.read_bytes())[:-9])
        self.fails(1, "cut short", *args, bad)
        bad.unlink()
        self.assertEqual(sorted(p.name for p in self.folder.iterdir()), before)


if __name__ == "__main__":
    unittest.main()
