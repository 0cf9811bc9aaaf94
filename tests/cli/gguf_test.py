"""Runs the ilt command on GGUF files: exported, scored, generated from, trained from, and refused."""

import json

from cli_test import ILT, SOURCE, Case, ilt, unittest

SPECIAL = ["<pad>", "<s>", "</s>", "<|im_start|>", "<|im_end|>"]


def byte_level_tokenizer() -> dict:
    """Bytes as GPT-2 spells them, without a merge; the last few have made room for special tokens."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [chr(256 + i) for i in range(256 - len(printable))]
    tokens = SPECIAL + others + [chr(b) for b in printable]
    added = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [{"id": i, "content": text} | added for i, text in enumerate(SPECIAL)],
        "normalizer": None,
        "pre_tokenizer": byte_level,
        "post_processor": None,
        "decoder": byte_level,
        "model": {"type": "BPE", "vocab": {text: i for i, text in enumerate(tokens[:256])}, "merges": []},
    }


class Gguf(Case):
    def setUp(self) -> None:
        super().setUp()
        (self.model / "tokenizer.json").write_text(json.dumps(byte_level_tokenizer()), encoding="utf-8")
        self.gguf = self.folder / "model.gguf"
        result = ilt("export", self.model, self.gguf, "--to", "gguf", "--dtype", "float32")
        self.assertEqual((result.returncode, result.stdout), (0, f"saved {self.gguf}\n"), result.stderr)

    def test_scores_and_generates_as_the_folder_does(self) -> None:
        for command in (["score"], ["generate", "--message", "What is two?", "--max-new-tokens", 8]):
            results = [ilt(*command, "--model-path", path, stdin="[3, 65, 66, 67]\n") for path in (self.model, self.gguf)]
            self.assertEqual(results[0].returncode, 0, results[0].stderr)
            self.assertEqual(results[0].stdout, results[1].stdout, results[1].stderr)

    def test_trains_as_the_folder_does_and_leaves_a_folder(self) -> None:
        losses = []
        for path in (self.model, self.gguf):
            self.out = self.folder / path.name / "out" if path.is_dir() else self.folder / "out"
            result = ilt(*self.train_args(model_path=path, max_steps=2))
            self.assertEqual(result.returncode, 0, result.stderr)
            lines = (self.out / "training_params_and_metrics_global0.jsonl").read_text().splitlines()
            losses.append([json.loads(line)["avg_loss"] for line in lines[1:]])
        self.assertEqual(losses[0], losses[1])
        saved = self.out / "hf_format" / "samples_4"
        names = {"config.json", "generation_config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json"}
        self.assertEqual({p.name for p in saved.iterdir()}, names)
        self.assertEqual(ilt("score", "--model-path", saved, stdin="[3, 65]\n").returncode, 0)
        self.assertEqual(ilt("export", saved, self.folder / "trained.gguf", "--to", "gguf").returncode, 0)

    def test_is_exported_as_a_folder(self) -> None:
        back = self.folder / "back"
        self.assertEqual(ilt("export", self.gguf, back, "--to", "hf", "--dtype", "bfloat16").returncode, 0)
        self.assertEqual(json.loads((back / "config.json").read_text())["dtype"], "bfloat16")

    def test_what_is_wrong_is_told(self) -> None:
        self.fails(2, "--to", "export", self.model, self.folder / "x", "--to", "onnx")
        self.fails(2, "q8_0", "export", self.model, self.folder / "x", "--to", "hf", "--dtype", "q8_0")
        self.fails(1, "/no/model", "export", "/no/model", self.folder / "x", "--to", "gguf")
        olmo = SOURCE / "tests/data/models/olmo2"
        self.fails(1, "Olmo2ForCausalLM", "export", olmo, self.folder / "x", "--to", "gguf")
        self.gguf.write_bytes(self.gguf.read_bytes()[:-100])
        self.fails(1, "truncated", "score", "--model-path", self.gguf)
        self.assertFalse((self.folder / "x").exists())
        self.assertEqual(list(self.folder.glob("*.tmp-*")), [])


if __name__ == "__main__":
    assert ILT
    unittest.main()
