#!/usr/bin/env python3
"""Writes tests/data/weights/: small safetensors files by the Python package, with their values as JSON.

    weights_goldens.py                   writes the files
    weights_goldens.py --check FILE...   reads files that libilt wrote with the Python package, and prints what they hold

dtypes.safetensors   one tensor of every element type that libilt knows, a scalar, one without elements, metadata
dtypes.json          name -> {"dtype", "shape", "bytes" (hex), "values" (the floating-point ones as fp32; else absent)}
rounding.json        fp32 bit patterns (hex) and torch's bf16 and fp16 of them, ties and limits included

Needs torch and safetensors (tools/requirements/parity.txt).
"""
import json
import pathlib
import sys

import safetensors
import torch
from safetensors.torch import save_file

OUT = pathlib.Path(__file__).resolve().parents[2] / "tests/data/weights"
FLOATS = {"F64": torch.float64, "F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16}
OTHERS = {"I64": torch.int64, "I32": torch.int32, "I16": torch.int16, "I8": torch.int8, "U64": torch.uint64,
          "U32": torch.uint32, "U16": torch.uint16, "U8": torch.uint8, "BOOL": torch.bool}


def tensors():
    values = torch.tensor([[0.0, -0.0, 1.0, -1.5], [3.14159265, 1e-3, 65504.0, 6e-8], [-1e-7, 0.1, 240.25, -7e4]],
                          dtype=torch.float64)
    made = {f"float.{name}": values.to(dtype) for name, dtype in FLOATS.items()}
    made |= {f"other.{name}": torch.tensor([0, 1, 100], dtype=dtype) for name, dtype in OTHERS.items()}
    return made | {"scalar": torch.tensor(2.5), "none": torch.zeros(0, 4), "name with \"quotes\" and ü": torch.ones(1)}


def dtype_name(dtype):
    return next(name for name, d in (FLOATS | OTHERS).items() if d == dtype)


def described(tensor):
    entry = {"dtype": dtype_name(tensor.dtype), "shape": list(tensor.shape),
             "bytes": tensor.reshape(-1).view(torch.uint8).numpy().tobytes().hex() if tensor.numel() else ""}
    if tensor.is_floating_point():
        bits = tensor.reshape(-1).to(torch.float32).view(torch.int32).tolist()
        entry["values"] = [f"{b & 0xffffffff:08x}" for b in bits]
    return entry


def rounding():
    generator = torch.Generator().manual_seed(1)
    special = [0, 1, 0x007fffff, 0x00800000, 0x33000000, 0x33000001, 0x33800000, 0x387fe000, 0x387fffff, 0x38800000,
               0x3f801000, 0x3f803000, 0x3f808000, 0x3f818000, 0x477fe000, 0x477fefff, 0x477ff000, 0x7f7f7fff,
               0x7f7f8000, 0x7f7fffff, 0x7f800000]
    bits = torch.cat([torch.tensor(special), torch.randint(0, 0x7f800000, (60,), generator=generator),
                      torch.randint(0x37000000, 0x48000000, (60,), generator=generator)]).to(torch.int32)
    bits = torch.cat([bits, bits | torch.tensor(-0x80000000, dtype=torch.int32)])
    values = bits.view(torch.float32)

    def hexed(tensor, digits):
        return [f"{b & (16 ** digits - 1):0{digits}x}" for b in tensor.tolist()]
    return {"F32": hexed(bits, 8), "BF16": hexed(values.to(torch.bfloat16).view(torch.int16), 4),
            "F16": hexed(values.to(torch.float16).view(torch.int16), 4)}


def check(path):
    with safetensors.safe_open(path, framework="pt") as file:
        print(json.dumps({"metadata": file.metadata(), "tensors": {k: described(file.get_tensor(k)) for k in file.keys()}},
                         sort_keys=True))


def main():
    if sys.argv[1:2] == ["--check"]:
        for path in sys.argv[2:]:
            check(path)
        return
    OUT.mkdir(parents=True, exist_ok=True)
    made = tensors()
    save_file(made, OUT / "dtypes.safetensors", metadata={"format": "pt", "source": "weights_goldens.py"})
    described_all = {name: described(t) for name, t in made.items()}
    (OUT / "dtypes.json").write_text(json.dumps(described_all, indent=1) + "\n")
    (OUT / "rounding.json").write_text(json.dumps(rounding()) + "\n")


main()
