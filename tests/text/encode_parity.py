"""Encodes 10,000 lines of mixed text with libilt and with Python's tokenizers: ids and decoded texts must be equal.

usage: encode_parity.py LIBILT_SO MODEL_FOLDER...   (exits with 77, skipped, where `tokenizers` or a model is missing)

The lines are prose, mathematics and JSON of examples/data, source code of the project, and random ones from a fixed seed:
characters of many scripts, emoji, combining marks, control characters, runs of blanks, special tokens inside words.
"""

import ctypes
import json
import random
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LINES = 10_000
RANGES = [(0x20, 0x7E), (0xA0, 0x24F), (0x370, 0x3FF), (0x400, 0x4FF), (0x590, 0x5F4), (0x600, 0x6FF), (0x900, 0x97F),
          (0xE00, 0xE5B), (0x1100, 0x11FF), (0x2000, 0x206F), (0x20A0, 0x20BF), (0x2190, 0x22FF), (0x300, 0x36F),
          (0x3040, 0x30FF), (0x4E00, 0x9FFF), (0xAC00, 0xD7A3), (0xE000, 0xE0FF), (0xFE00, 0xFE0F), (0xFF00, 0xFFEF),
          (0x1D400, 0x1D7FF), (0x1F300, 0x1FAFF), (0x1, 0x1F)]  # fmt: skip
# fmt: off
PIECES = ["<|im_start|>", "<|im_end|>", "<|endoftext|>", "\u200d", "\ufe0f", "\r\n", "\t\t", "   ", "\ufeff", "I'll",
          "don't", "1234567890", "3.14e-10", "http://x.y/z?a=b&c", "camelCaseWord", "snake_case", "é", "e\u0301",
          "\x00"]
# fmt: on


def written_lines() -> list[str]:
    lines = []
    for path in sorted((ROOT / "examples/data").glob("*.jsonl")):
        for row in path.read_text(encoding="utf-8").splitlines():
            lines += [row] + [m["content"] for m in json.loads(row)["messages"] if m.get("content")]
    for pattern in ("src/**/*.cpp", "src/**/*.rs", "tests/data/templates/*/*.jinja"):
        for path in sorted(ROOT.glob(pattern)):
            lines += [line for line in path.read_text(encoding="utf-8").splitlines() if line]
    return lines


def random_line(rng: random.Random) -> str:
    first, last = rng.choice(RANGES)
    parts = []
    for _ in range(rng.randint(1, 40)):
        if rng.random() < 0.15:
            parts.append(rng.choice(PIECES))
        elif rng.random() < 0.1:
            first, last = rng.choice(RANGES)
        parts.append(chr(rng.randint(first, last)))
    return "".join(parts)


class Libilt:
    def __init__(self, library: str, folder: str) -> None:
        self.lib = ctypes.CDLL(library)
        self.handle = ctypes.c_void_p()
        self.check(self.lib.ilt_tokenizer_load(folder.encode(), ctypes.byref(self.handle), None))

    @staticmethod
    def check(status: int) -> None:
        if status:
            sys.exit(f"libilt returned {status}")

    def encode(self, text: str) -> list[int]:
        data, ids, count = text.encode(), ctypes.POINTER(ctypes.c_int32)(), ctypes.c_size_t()
        self.check(self.lib.ilt_tokenizer_encode(self.handle, data, ctypes.c_size_t(len(data)), 0, ctypes.byref(ids),
                                                 ctypes.byref(count), None))  # fmt: skip
        result = ids[: count.value]
        self.lib.ilt_free(ids)
        return result

    def decode(self, ids: list[int]) -> str:
        array, out, length = (ctypes.c_int32 * len(ids))(*ids), ctypes.c_char_p(), ctypes.c_size_t()
        self.check(self.lib.ilt_tokenizer_decode(self.handle, array, ctypes.c_size_t(len(ids)), 0, ctypes.byref(out),
                                                 ctypes.byref(length), None))  # fmt: skip
        text = ctypes.string_at(out, length.value).decode()
        self.lib.ilt_free(out)
        return text


def main() -> None:
    library, *folders = sys.argv[1:]
    folders = [folder for folder in folders if (Path(folder) / "tokenizer.json").exists()]
    try:
        from tokenizers import Tokenizer
    except ImportError:
        sys.exit(77)
    if not folders:
        sys.exit(77)
    rng = random.Random(20260131)
    lines = written_lines()
    rng.shuffle(lines)
    lines = lines[: LINES // 2]
    lines += [random_line(rng) for _ in range(LINES - len(lines))]
    faults = 0
    for folder in folders:
        ours, theirs = Libilt(library, folder), Tokenizer.from_file(str(Path(folder) / "tokenizer.json"))
        theirs.no_truncation()
        theirs.no_padding()
        for number, line in enumerate(lines):
            ids = theirs.encode(line, add_special_tokens=False).ids
            if ours.encode(line) != ids or ours.decode(ids) != theirs.decode(ids, skip_special_tokens=False):
                faults += 1
                print(f"{folder}: line {number} differs: {line!r}")
        print(f"{folder}: {len(lines)} lines")
    sys.exit(faults > 0)


if __name__ == "__main__":
    main()
