#!/usr/bin/env python3
"""Makes src/ilt/_native.pyi, the types of the native module, from ilt.h by the rules of native/native.i.

bindings/python/tools/make_stub.py include/ilt.h > bindings/python/src/ilt/_native.pyi
"""

import pathlib
import re
import sys

HEADER = '''"""ilt.h for Python, as native/native.i wraps it. Made by tools/make_stub.py; a test keeps it so."""

from collections.abc import Sequence
from typing import Protocol, SupportsIndex, type_check_only

_Ids = Sequence[SupportsIndex]
_Metrics = tuple[int, int, int, int, int, float, float, float, float, float, int, float]
_Device = tuple[int, int, int, int, str, str]

@type_check_only
class _Callback(Protocol):
    def __call__(self, *arguments: object) -> int: ...
    def failed(self, error: BaseException) -> int: ...

@type_check_only
class _Log(Protocol):
    def __call__(self, level: int, component: str, message: str) -> None: ...
'''
INCLUDE = pathlib.Path(__file__).resolve().parents[3] / "include/ilt.h"
INTERFACE = pathlib.Path(__file__).resolve().parents[1] / "native/native.i"

# One or more parameters of the header, joined by commas; what Python gives for them, what it gets back. First match counts.
RULES = [
    (r"const char\* (json|text|messages_json|record_json), size_t length", r"\1: str | bytes", None),
    (r"const int32_t\* ids, const int32_t\* labels, const float\* weights, size_t count",
     "sample: tuple[_Ids, _Ids | None, Sequence[float] | None]", None),
    (r"const int32_t\* ids, size_t count, float\* out_logprobs", "ids: _Ids", "list[float]"),
    (r"const int32_t\* (ids|prompt), size_t \w+", r"\1: _Ids", None),
    (r"(?:const )?char\*\* out(, size_t\* out_length)?", None, "str"),
    (r"int32_t\*\* out_ids, int32_t\*\* out_labels, size_t\* out_count", None, "tuple[list[int], list[int]]"),
    (r"int32_t\*\* out_ids, size_t\* out_count", None, "list[int]"),
    (r"double\* \w+, double\* \w+", None, "tuple[float, float]"),
    (r"double\* \w+, int64_t\* \w+", None, "tuple[float, int]"),
    (r"int64_t\* \w+, int64_t\* \w+", None, "tuple[int, int]"),
    (r"(?:int32_t|size_t)\* \w+", None, "int"),
    (r"ilt_log_fn fn, void\* user_data, ilt_destroy_fn destroy", "fn: _Log | None", None),
    (r"ilt_\w+_fn fn, void\* user_data(, ilt_destroy_fn destroy)?", "fn: _Callback | None", None),
    (r"ilt_metrics\* out", None, "_Metrics"),
    (r"ilt_device_info\* out", None, "_Device"),
    (r"ilt_error\*\* err", None, None),
    (r"struct DLManagedTensorVersioned\*\* out", None, "object"),
    (r"struct DLManagedTensorVersioned\* (\w+)", r"\1: object", None),
    (r"(ilt_\w+)\*\* out", None, r"_\1"),
    (r"(?:const )?(ilt_\w+)\* (\w+)", r"\2: _\1 | None", None),
    (r"const char\* (\w+)", r"\1: str | bytes | None", None),
    (r"double (\w+)", r"\1: float", None),
    (r"(?:int32_t|int64_t|uint32_t|size_t|ilt_\w+) (\w+)", r"\1: int", None),
]


def handle(name):
    """_Session for _ilt_session: the opaque classes of the stub."""
    return re.sub(r"_ilt_(\w+)", lambda m: "_" + m[1].title().replace("_", ""), name)


def functions(header):
    """(return type, name, parameters) of each function, in order; without those that SWIG is told to ignore."""
    ignored = set(re.findall(r"%ignore (\w+);", INTERFACE.read_text(encoding="utf-8")))
    declaration = r"ILT_API (?:ILT_MUST_USE )?([^;(]*?)\b(ilt_\w+)\(([^;]*)\) ILT_NOEXCEPT;"
    for result, name, parameters in re.findall(declaration, header):
        if name not in ignored:
            yield result.strip(), name, re.sub(r"\s+", " ", parameters)


def convert(parameters):
    """Python's parameters and results for those of a C function."""
    inputs, outputs, rest = [], [], "" if parameters == "void" else parameters
    while rest:
        for pattern, given, got in RULES:
            match = re.match(pattern + r"(, |$)", rest)
            if match:
                break
        else:
            sys.exit(f"make_stub.py: no rule for '{rest}'")
        inputs += [handle(match.expand(given))] if given else []
        outputs += [handle(match.expand(got))] if got else []
        rest = rest[match.end():]
    return inputs, outputs


def returned(result, name, outputs, with_status):
    """The type that a function returns."""
    if result == "void":
        return "None"
    if result == "const char*":
        return "str"
    if result.endswith("*"):
        return handle("_" + result.rstrip("*"))
    if result != "ilt_status":
        return "int"
    parts = (["int"] if name in with_status else []) + outputs
    if len(parts) < 2:
        return parts[0] if parts else "None"
    # A handle that was not made, because the call was stopped, is left out.
    stopped = "int | " if name.endswith("_create") else ""
    return f"{stopped}tuple[{', '.join(parts)}]"


def render(header):
    """The whole file."""
    text = re.sub(r"/\*.*?\*/", "", header, flags=re.S)
    with_status = set(re.findall(r"^STATUS\((\w+)\)", INTERFACE.read_text(encoding="utf-8"), re.M))
    handles = [name for name in re.findall(r"typedef struct (ilt_\w+) ilt_\w+;", text) if name != "ilt_error"]
    lines = [HEADER]
    lines += [f"@type_check_only\nclass {handle('_' + name)}: ...\n" for name in handles]
    lines += [f"{name}: int" for name in re.findall(r"[{,]\s*(ILT_[A-Z_]+) = ", text)]
    for name, value in re.findall(r"^#define (ILT_[A-Z_]+) (\S.*)$", text, re.M):
        if re.match(r"\(?[-\d(]|\(\(ILT_", value):
            lines.append(f"{name}: {'float' if '.' in value else 'int'}")
    lines.append("")
    for result, name, parameters in functions(text):
        inputs, outputs = convert(parameters)
        given = ", ".join([*inputs, "/"] if inputs else [])
        lines.append(f"def {name}({given}) -> {returned(result, name, outputs, with_status)}: ...")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.stdout.write(render(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else INCLUDE).read_text(encoding="utf-8")))
