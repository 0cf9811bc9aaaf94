#!/usr/bin/env python3
"""Makes src/ilt/_options.py, the fields of ilt.Options, from the schema of libilt's options.

build/bin/ilt config | bindings/python/tools/make_options.py > bindings/python/src/ilt/_options.py
"""

import json
import sys
import textwrap

HEADER = '''"""The fields of ilt.Options. Made by tools/make_options.py from the options' schema; a test keeps it so."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Sequence
from typing import Literal

StrPath = str | os.PathLike[str]


@dataclasses.dataclass(kw_only=True, slots=True)
class OptionFields:
    """All options of a run; ilt.Options adds what can be done with them."""
'''
SCALARS = {"integer": "int", "number": "float", "boolean": "bool"}
WIDTH = 118


def scalar_type(name, schema):
    """The annotation of one value."""
    if "enum" in schema:
        return f"Literal[{', '.join(json.dumps(choice) for choice in schema['enum'])}]"
    if schema["type"] == "string":
        return "StrPath" if name.endswith(("_path", "_dir")) else "str"
    return SCALARS[schema["type"]]


def annotation(name, schema):
    """The annotation of an option: a value, a list, or either."""
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    parts = [scalar_type(name, {**schema, "type": kind}) for kind in kinds if kind not in ("array", "null")]
    if "array" in kinds:
        parts.append(f"Sequence[{scalar_type(name, schema['items'])}]")
    if schema.get("default") is None and schema.get("x-required") != "always":
        parts.append("None")
    return " | ".join(parts)


def default(schema):
    """The default as Python source, after a space; empty where the option must be given."""
    if schema.get("x-required") == "always":
        return ""
    value = schema.get("default")
    return f" = {'()' if value == [] else json.dumps(value) if isinstance(value, str) else repr(value)}"


def field(name, schema):
    """The line of a field, or its lines where one is too long."""
    line = f"    {name}: {annotation(name, schema)}{default(schema)}"
    if len(line) <= WIDTH + 4:
        return line
    head, choices, tail = line.partition("[")[0] + "[", line.partition("[")[2].rpartition("]")[0], line.rpartition("]")[2]
    wrapped = textwrap.wrap(choices + ",", WIDTH - 4)
    return "\n".join([head, *("        " + part for part in wrapped), "    ]" + tail])


def documentation(schema):
    """The docstring of a field, indented."""
    text = schema["description"]
    if schema.get("x-required") == "training":
        text += " Needed to train."
    lines = textwrap.wrap(f'"""{text}"""', WIDTH, break_long_words=False)
    return "\n".join("    " + line for line in lines)


def render(schema):
    """The whole file."""
    parts, group = [HEADER], None
    for name, option in schema["properties"].items():
        if option["x-group"] != group:
            group = option["x-group"]
            parts.append(f"\n    # ---- {group} ----\n")
        parts.append(f"{field(name, option)}\n{documentation(option)}\n")
    return "\n".join(part.rstrip("\n") for part in parts).replace("\n\n\n    #", "\n\n    #") + "\n"


if __name__ == "__main__":
    sys.stdout.write(render(json.load(sys.stdin)))
