"""A complete tiny model folder for tests: a checkpoint of tests/data/llama and a tokenizer of single characters.

usage: tiny_model.py CHECKPOINT_FOLDER OUT_FOLDER   (also writes OUT_FOLDER.jsonl with a few chats)
"""

import json
import shutil
import sys
from pathlib import Path

SPECIAL = ["<pad>", "<s>", "</s>", "<unk>", "<|im_start|>", "<|im_end|>"]
TEMPLATE = (
    "{% for m in messages %}{{ '<|im_start|>' + m.role + '\n' + m.content + '<|im_end|>\n' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
)
CHATS = [("What is two and two?", "Four."), ("Say hello.", "Hello!"), ("Name a colour.", "Blue."), ("Bye?", "Bye.")]


def tokenizer() -> dict:
    characters = ["\n"] + [chr(c) for c in range(32, 127)]
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [
            {
                "id": i,
                "content": text,
                "single_word": False,
                "lstrip": False,
                "rstrip": False,
                "normalized": False,
                "special": True,
            }
            for i, text in enumerate(SPECIAL)
        ],
        "normalizer": None,
        "pre_tokenizer": None,
        "post_processor": None,
        "decoder": {"type": "Fuse"},
        "model": {
            "type": "BPE",
            "dropout": None,
            "unk_token": "<unk>",
            "continuing_subword_prefix": None,
            "end_of_word_suffix": None,
            "fuse_unk": False,
            "byte_fallback": False,
            "ignore_merges": False,
            "vocab": {text: i for i, text in enumerate(SPECIAL + characters)},
            "merges": [],
        },
    }


def chats() -> str:
    lines = (
        {"messages": [{"role": "user", "content": ask}, {"role": "assistant", "content": answer}]}
        for ask, answer in CHATS
    )
    return "".join(json.dumps(line) + "\n" for line in lines)


def make(checkpoint: Path, out: Path) -> None:
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    for name in ("config.json", "model.safetensors"):
        shutil.copy(checkpoint / name, out / name)
    (out / "tokenizer.json").write_text(json.dumps(tokenizer()), encoding="utf-8")
    config = {"bos_token": "<s>", "eos_token": "</s>", "pad_token": "<pad>", "chat_template": TEMPLATE}
    (out / "tokenizer_config.json").write_text(json.dumps(config), encoding="utf-8")
    out.with_name(out.name + ".jsonl").write_text(chats(), encoding="utf-8")


if __name__ == "__main__":
    make(Path(sys.argv[1]), Path(sys.argv[2]))
