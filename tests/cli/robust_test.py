"""Runs the ilt command on odd files, streams and signals: a named error in time, and nothing of the user's destroyed."""

import json
import os
import shutil
import signal
import stat
import subprocess
import time

from cli_test import ILT, Case, ilt, unittest


class Streams(Case):
    def test_errors_of_stdout_are_errors(self) -> None:
        for args in (["--version"], ["--help"], ["train", "--help"], ["config"], ["devices"]):
            for redirect in (">/dev/full", ">&-"):
                command = f'"$0" "$@" {redirect}'
                result = subprocess.run(["sh", "-c", command, ILT, *args], capture_output=True, text=True, check=False)
                self.assertEqual(result.returncode, 1, (args, redirect, result.stderr))
                self.assertIn("ilt: error: cannot write to stdout", result.stderr)

    def test_a_closed_stderr_is_not_the_metrics_file(self) -> None:
        result = subprocess.run(["sh", "-c", '"$0" "$@" 2>&- <&-', ILT, *self.train_args(max_steps=1)], check=False)
        self.assertEqual(result.returncode, 0)
        for line in (self.out / "training_params_and_metrics_global0.jsonl").read_text().splitlines():
            json.loads(line)

    def test_input_that_cannot_be_read(self) -> None:
        args = ["score", "--model-path", self.model]
        result = subprocess.run(["sh", "-c", '"$0" "$@" <&-', ILT, *map(str, args)], capture_output=True, text=True,
                                check=False)
        self.assertEqual((result.returncode, result.stdout), (1, ""))
        self.assertIn("cannot read stdin", result.stderr)
        self.fails(1, "cannot read", *args, "--input", self.folder)

    def test_control_characters_are_spelled_out(self) -> None:
        odd = self.folder / "a\x1b[2Jb\r"
        self.fails(1, "a\\x1b[2Jb\\x0d", *self.train_args(model_path=odd))
        self.fails(1, "a\\x1b[2Jb\\x0d", "train", "--config", odd)


class Pipes(Case):
    def test_pipes_as_model_files_are_refused(self) -> None:
        for name in ("config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json"):
            path = self.model / name
            kept = path.read_bytes()
            path.unlink()
            os.mkfifo(path)
            self.fails(1, name, *self.train_args())
            path.unlink()
            path.write_bytes(kept)
        os.mkfifo(self.folder / "pipe")
        self.fails(1, "pipe", *self.train_args(data_path=self.folder / "pipe"))
        self.fails(1, "pipe", "train", "--config", self.folder / "pipe")
        self.fails(1, "pipe", "generate", "--model-path", self.model, "--messages", self.folder / "pipe")

    def test_score_reads_and_writes_pipes(self) -> None:
        source, sink = self.folder / "in", self.folder / "result"
        os.mkfifo(source)
        os.mkfifo(sink)
        args = [ILT, "score", "--model-path", self.model, "--input", source, "--output", sink]
        with subprocess.Popen(list(map(str, args))) as process:
            source.write_text("[1, 2, 3]\n")
            self.assertEqual(len(json.loads(sink.read_text())["logprobs"]), 2)
        self.assertEqual(process.returncode, 0)
        self.assertTrue(stat.S_ISFIFO(sink.stat().st_mode))

    def test_config_through_a_pipe(self) -> None:
        script = '"$0" train --config <(sleep 0.2; echo "{\\"sed\\": 1}")'
        result = subprocess.run(["bash", "-c", script, ILT], capture_output=True, text=True, timeout=60, check=False)
        self.assertIn("did you mean 'seed'", result.stderr)


class ScoreOutput(Case):
    def test_neither_a_part_file_nor_a_link_is_lost(self) -> None:
        result, part, link = self.folder / "result", self.folder / "result.part", self.folder / "link"
        part.write_text("mine")
        link.symlink_to(result)
        done = ilt("score", "--model-path", self.model, "--output", link, stdin="[1, 2]\n")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("logprobs", result.read_text())
        self.assertTrue(link.is_symlink())
        self.assertEqual(part.read_text(), "mine")

    def test_a_signal_leaves_nothing(self) -> None:
        for number in (signal.SIGINT, signal.SIGTERM):
            args = [ILT, "score", "--model-path", str(self.model), "--output", str(self.folder / "result")]
            with subprocess.Popen(args, stdin=subprocess.PIPE) as process:
                while not list(self.folder.glob("result.part-*")):
                    time.sleep(0.01)
                process.send_signal(number)
            self.assertEqual(process.returncode, -number)
            self.assertEqual(list(self.folder.glob("result*")), [])


class Folders(Case):
    def test_foreign_folders_are_not_replaced(self) -> None:
        notes = self.out / "hf_format" / "samples_8" / "notes.txt"
        notes.parent.mkdir(parents=True)
        notes.write_text("mine")
        self.fails(1, "holds no config.json", *self.train_args())
        self.assertEqual(notes.read_text(), "mine")
        metrics = self.out / "training_params_and_metrics_global0.jsonl"
        self.assertFalse(metrics.exists(), "no step was made")

    def test_what_a_save_needs_is_checked_first(self) -> None:
        self.out.mkdir()
        (self.out / "hf_format").write_text("")
        self.fails(1, "hf_format", *self.train_args())
        (self.out / "hf_format").unlink()
        os.symlink("nowhere", self.model / "README.md")
        os.symlink("nowhere", self.model / "tokenizer.model")
        self.fails(1, "tokenizer.model", *self.train_args())
        (self.model / "tokenizer.model").unlink()
        result = ilt(*self.train_args(max_steps=1))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("README.md is not copied", result.stderr)

    def test_a_killed_runs_staging_goes(self) -> None:
        args = [ILT, *self.train_args()]
        result = subprocess.run(args, capture_output=True, check=False)
        self.assertEqual(result.returncode, 0)
        left = self.out / "hf_format" / f"samples_4.tmp-{os.uname().nodename}-1234567-0"
        shutil.copytree(self.out / "hf_format" / "samples_4", left)
        self.assertEqual(ilt(*self.train_args()).returncode, 0)
        self.assertEqual(self.saved(), ["samples_4"])

    def test_metrics_in_the_models_folder_are_not_copied(self) -> None:
        result = ilt(*self.train_args(ckpt_output_dir=self.model, max_steps=1))
        self.assertEqual(result.returncode, 0, result.stderr)
        copied = sorted(path.name for path in (self.model / "hf_format" / "samples_2").iterdir())
        self.assertEqual(copied, ["config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json"])


class Options(Case):
    def test_huge_values(self) -> None:
        most = 2**53
        result = ilt(*self.train_args(max_batch_len=most, effective_batch_size=most, max_steps=1))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.fails(2, "<= 9007199254740992", *self.train_args(max_batch_len=2**63 - 1))
        self.fails(2, "<= 9007199254740992", *self.train_args(max_batch_len="1e18"))
        self.data.write_text(self.data.read_text() * 600)
        elsewhere = self.folder / "other"
        self.fails(2, "num_epochs", *self.train_args(num_epochs=most, effective_batch_size=1, ckpt_output_dir=elsewhere))
        self.fails(2, "max_new_tokens", "generate", "--model-path", self.model, "--prompt", "Hi", "--max-new-tokens",
                   10**18)
        self.fails(2, "data_weights", *self.train_args(data_weights=1e300))

    def test_deep_and_long_text(self) -> None:
        self.fails(2, "data_weights", *self.train_args(data_weights="[" * 100_000))
        self.fails(2, "top_p", "generate", "--model-path", self.model, "--prompt", "Hi", "--top-p", "[" * 100_000)
        for text in ("9" * 100_000, "x" * 100_000):
            result = ilt(*self.train_args(seed=text))
            self.assertEqual(result.returncode, 2)
            self.assertLess(len(result.stderr), 1000)

    def test_suggestions_are_near_and_of_the_command(self) -> None:
        self.fails(2, "did you mean --temperature?", "generate", "--temperatur", "1")
        for args in (["train", "--frobnicate", "1"], ["generate", "--learning-rat", "1"],
                     [*self.train_args(), "--set", "frobnicate=1"]):
            result = ilt(*args)
            self.assertEqual(result.returncode, 2)
            self.assertNotIn("did you mean", result.stderr)

    def test_repeated_keys(self) -> None:
        path = self.folder / "run.json"
        path.write_text('{"seed": 1, "seed": 2}')
        self.fails(1, 'the key "seed" is given twice', "train", "--config", path)

    def test_empty_prompt_and_files(self) -> None:
        args = ["generate", "--model-path", self.model]
        self.fails(2, "no tokens", *args, "--prompt", "")
        empty = self.folder / "empty.json"
        empty.write_text("")
        self.fails(1, "empty.json: ", *args, "--messages", empty)
        self.fails(1, "empty.json: ", "train", "--config", empty)
        self.fails(1, "no.json", *args, "--messages", self.folder / "no.json")
        result = subprocess.run([ILT, *map(str, args), "--message", b"\xff"], capture_output=True, text=True, check=False)
        self.assertEqual(result.returncode, 2)
        self.assertIn("--message is not UTF-8", result.stderr)


class Models(Case):
    def change(self, name: str, **changes: object) -> None:
        path = self.model / name
        path.write_text(json.dumps(json.loads(path.read_text()) | changes))

    def test_a_config_that_asks_for_too_much(self) -> None:
        for key, value, part in (("num_hidden_layers", 10**9, "'num_hidden_layers' is 1000000000"),
                                 ("num_hidden_layers", 10**5, "model.layers."),
                                 ("vocab_size", 10**9, "model.embed_tokens.weight")):  # fmt: skip
            kept = (self.model / "config.json").read_text()
            self.change("config.json", **{key: value})
            self.fails(1, part, "score", "--model-path", self.model, stdin="[1, 2]\n")
            (self.model / "config.json").write_text(kept)

    def test_wrong_types_in_chat_templates(self) -> None:
        for template in ({"default": 5}, [{"name": 5, "template": "x"}], [{"name": "default", "template": {}}], [5]):
            self.change("tokenizer_config.json", chat_template=template)
            self.fails(1, "tokenizer_config.json: ", *self.train_args())
        self.change("tokenizer_config.json", chat_template=[{"name": n, "template": "x"} for n in ("tool_use", "rag")])
        result = ilt(*self.train_args())
        self.assertEqual(result.returncode, 1)
        self.assertIn("tool_use", result.stderr)

    def test_weights_that_are_not_numbers(self) -> None:
        path = self.model / "model.safetensors"
        data = path.read_bytes()
        header = 8 + int.from_bytes(data[:8], "little")
        path.write_bytes(data[:header] + b"\x00\x00\xc0\x7f" * ((len(data) - header) // 4))
        self.fails(1, "is NaN", "score", "--model-path", self.model, stdin="[1, 2]\n")
        self.fails(1, "is NaN", "generate", "--model-path", self.model, "--prompt", "Hi")

    def test_links_say_what_they_are(self) -> None:
        for name, target, part in (("tokenizer.json", "nowhere", "a link to something"),
                                   ("chat_template.jinja", "chat_template.jinja", "symbolic links"),
                                   ("generation_config.json", "nowhere", "a link to something")):
            path = self.model / name
            kept = path.read_bytes() if path.exists() else None
            path.unlink(missing_ok=True)
            path.symlink_to(target)
            self.fails(1, part, "generate", "--model-path", self.model, "--prompt", "Hi")
            path.unlink()
            if kept is not None:
                path.write_bytes(kept)

    def test_unknown_processor_wish_is_told(self) -> None:
        result = subprocess.run([ILT, "score", "--model-path", str(self.model)], input="[1, 2]\n", capture_output=True,
                                text=True, env=os.environ | {"ILT_CPU_ISA": "bogus"}, check=False)
        self.assertEqual(result.returncode, 0)
        self.assertIn("ILT_CPU_ISA is 'bogus'", result.stderr)

    def test_beyond_the_positions_is_told(self) -> None:
        result = ilt("generate", "--model-path", self.model, "--prompt", "Hi", "--max-new-tokens", 200)
        self.assertIn("go beyond the", result.stderr)


del Case  # imported for its methods, not to be run

if __name__ == "__main__":
    unittest.main()
