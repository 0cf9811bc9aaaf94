"""One NaN in layer 1."""
import json, os, struct


def make(model, base):
    st = os.path.join(model, "model.safetensors")
    t = base.model_tensors(base.CFG)
    n = "model.layers.1.mlp.down_proj.weight"
    d, s, b = t[n]
    t[n] = (d, s, struct.pack("<f", float("nan")) + b[4:])
    base.write_st(st, t)
# ruff: noqa
