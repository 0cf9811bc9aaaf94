#!/usr/bin/env python3
"""Writes tests/data/optim/optimizers.{json,safetensors}: values of a few tensors under each optimizer, after some steps.

torch.optim is the reference where it has the optimizer; Lion and 8-bit AdamW are written here from their papers, in numpy.
Needs torch, numpy and safetensors (tools/requirements/parity.txt).
"""
import json
import math
import pathlib

import numpy as np
import safetensors.numpy
import torch
from torch.optim import _muon

OUT = pathlib.Path(__file__).resolve().parents[2] / "tests/data/optim"
SHAPES = ([7], [300], [33, 20], [3, 100], [24, 173], [4100], [3, 4, 30])  # both sides of 4096, no multiples of 256
STEPS, KEPT = 50, (1, 10, 50)
F = np.float32


def hashed(tensor, step, count):
    """Numbers in [0, 1) with 24 bits; tests/optim/optimizers_test.cpp makes the same."""
    x = np.arange(count, dtype=np.uint32) * np.uint32(0x9E3779B1)
    x += np.uint32(step * 0x85EBCA77 + tensor * 0xC2B2AE3D & 0xFFFFFFFF)
    x ^= x >> np.uint32(15)
    x *= np.uint32(0x2C1B3C6D)
    x ^= x >> np.uint32(12)
    x *= np.uint32(0x297A2D39)
    x ^= x >> np.uint32(15)
    return (x >> np.uint32(8)).astype(F) / F(1 << 24)


def start(tensor):
    return (hashed(tensor, 0, math.prod(SHAPES[tensor])) * F(2) - F(1)).reshape(SHAPES[tensor])


def gradient(tensor, step):
    count = math.prod(SHAPES[tensor])
    g = (hashed(tensor, step, count) - F(0.375)) * np.exp2(-(np.arange(count) % 7)).astype(F)
    return g.reshape(SHAPES[tensor])


def rate(case, step):
    return case["lr"] * (1 + step % 3) / 2


class Lion:
    """arXiv 2302.06675, algorithm 2."""

    def __init__(self, shape, betas, weight_decay):
        self.m, self.betas, self.decay = np.zeros(shape, F), betas, weight_decay

    def step(self, value, g, lr, _):
        beta1, beta2 = self.betas
        direction = np.sign(self.m + F(1 - beta1) * (g - self.m))
        self.m += F(1 - beta2) * (g - self.m)
        return value * F(1 - lr * self.decay) - F(lr) * direction


def dynamic_code(signed):
    """arXiv 2110.02861, section 2.2, as bitsandbytes' create_dynamic_map has it."""
    values = [0.0, 1.0]
    for i in range(7):
        edges = np.linspace(0.1, 1, (2 ** i if signed else 2 ** (i + 1)) + 1)
        middles = (edges[:-1] + edges[1:]) / 2 * 10.0 ** (i - 6)
        values += list(middles) + (list(-middles) if signed else [])
    return np.sort(np.array(values)).astype(F)


class Quantised:
    """Blocks of 256 values: the nearest of 256 codes times the block's largest magnitude."""

    def __init__(self, shape, signed):
        self.shape, self.code = shape, dynamic_code(signed)
        self.limits = (self.code[:-1] + self.code[1:]) / F(2)
        self.put(np.zeros(shape, F))

    def put(self, x):
        flat = x.reshape(-1)
        blocks = np.pad(flat, (0, -len(flat) % 256)).reshape(-1, 256)
        self.scale = np.abs(blocks).max(1)
        by = np.where(self.scale > 0, self.scale, F(1))
        self.codes = np.searchsorted(self.limits, blocks / by[:, None])

    def get(self):
        return (self.code[self.codes] * self.scale[:, None]).reshape(-1)[:math.prod(self.shape)].reshape(self.shape)


class AdamW8bit:
    """AdamW of arXiv 1711.05101 whose moments lie in 8 bits between steps."""

    def __init__(self, shape, betas, eps, weight_decay):
        self.m, self.v = Quantised(shape, True), Quantised(shape, False)
        self.betas, self.eps, self.decay = betas, eps, weight_decay

    def step(self, value, g, lr, t):
        beta1, beta2 = self.betas
        m = self.m.get()
        m = m + F(1 - beta1) * (g - m)
        v = F(beta2) * self.v.get() + F(1 - beta2) * (g * g)
        self.m.put(m), self.v.put(v)
        denominator = np.sqrt(v) / F(math.sqrt(1 - beta2 ** t)) + F(self.eps)
        return value * F(1 - lr * self.decay) - F(lr / (1 - beta1 ** t)) * (m / denominator)


class Torch:
    """One tensor under an optimizer of torch."""

    def __init__(self, make):
        self.make, self.optimizer = make, None

    def step(self, value, g, lr, _):
        if self.optimizer is None:
            self.parameter = torch.nn.Parameter(torch.tensor(value))
            self.optimizer = self.make([self.parameter])
        self.parameter.grad = torch.tensor(g)
        self.optimizer.param_groups[0]["lr"] = lr
        self.optimizer.step()
        return self.parameter.detach().numpy().copy()


def newton_schulz_fp32(grad, coefficients, steps, eps):
    """torch's iterations with its own source's bfloat16 replaced: libilt works in the matrix's type."""
    a, b, c = coefficients
    x = grad.T if grad.size(0) > grad.size(1) else grad
    x = x / x.norm().clamp(min=eps)
    for _ in range(steps):
        gram = x @ x.T
        x = a * x + (b * gram + c * gram @ gram) @ x
    return x.T if grad.size(0) > grad.size(1) else x


def rule(case, tensor):
    o, shape = case["options"], SHAPES[tensor]
    decay, kind = case.get("weight_decay", 0.0), o["kind"]
    adamw = {"betas": (o.get("beta1", 0.9), o.get("beta2", 0.95)), "eps": o.get("eps", 1e-8), "weight_decay": decay}
    if kind == "lion":
        return Lion(shape, (o.get("beta1", 0.9), o.get("beta2", 0.99)), decay)
    if kind == "adamw_8bit" and math.prod(shape) >= 4096:
        return AdamW8bit(shape, **adamw)
    if kind == "sgd":
        return Torch(lambda p: torch.optim.SGD(p, momentum=o.get("momentum", 0.0), nesterov=o.get("nesterov", False),
                                               weight_decay=decay))
    if kind == "adafactor":
        return Torch(lambda p: torch.optim.Adafactor(p, beta2_decay=o.get("beta2_decay", -0.8), weight_decay=decay))
    if kind == "muon" and len(shape) == 2:
        return Torch(lambda p: torch.optim.Muon(p, momentum=o.get("momentum", 0.95), nesterov=o.get("nesterov", True),
                                                weight_decay=decay,
                                                adjust_lr_fn=o.get("muon_adjust", "match_rms_adamw")))
    return Torch(lambda p: torch.optim.AdamW(p, **adamw))


CASES = (
    {"name": "adamw", "options": {"kind": "adamw"}, "lr": 1e-2},
    {"name": "adamw_all", "options": {"kind": "adamw", "beta1": 0.8, "beta2": 0.99, "eps": 1e-5}, "lr": 1e-2,
     "weight_decay": 0.1},
    {"name": "sgd", "options": {"kind": "sgd"}, "lr": 1e-1},
    {"name": "sgd_decay", "options": {"kind": "sgd"}, "lr": 1e-1, "weight_decay": 0.1},
    {"name": "sgd_momentum", "options": {"kind": "sgd", "momentum": 0.9}, "lr": 1e-2},
    {"name": "sgd_all", "options": {"kind": "sgd", "momentum": 0.8, "nesterov": True}, "lr": 1e-2, "weight_decay": 0.1},
    {"name": "adafactor", "options": {"kind": "adafactor"}, "lr": 1e-2},
    {"name": "adafactor_all", "options": {"kind": "adafactor", "beta2_decay": -0.5}, "lr": 2e-1, "weight_decay": 0.1},
    {"name": "lion", "options": {"kind": "lion"}, "lr": 1e-2},
    {"name": "lion_all", "options": {"kind": "lion", "beta1": 0.95, "beta2": 0.98}, "lr": 1e-2, "weight_decay": 0.1},
    {"name": "adamw_8bit", "options": {"kind": "adamw_8bit"}, "lr": 1e-3},
    {"name": "adamw_8bit_all", "options": {"kind": "adamw_8bit", "beta1": 0.8, "beta2": 0.99, "eps": 1e-5}, "lr": 1e-3,
     "weight_decay": 0.1},
    {"name": "muon", "options": {"kind": "muon"}, "lr": 1e-2},
    {"name": "muon_original", "options": {"kind": "muon", "muon_adjust": "original", "momentum": 0.9,
                                          "nesterov": False}, "lr": 1e-2, "weight_decay": 0.1},
    {"name": "muon_spectral", "options": {"kind": "muon", "muon_adjust": "spectral_unclamped"}, "lr": 1e-2},
    # torch's own, in bfloat16: as near as that type is.
    {"name": "muon_bfloat16", "options": {"kind": "muon"}, "lr": 1e-2, "bfloat16": True},
)


def main():
    bfloat16 = _muon._zeropower_via_newtonschulz
    values, cases = {}, []
    for case in CASES:
        _muon._zeropower_via_newtonschulz = bfloat16 if case.get("bfloat16") else newton_schulz_fp32
        for tensor in range(len(SHAPES)):
            state, value = rule(case, tensor), start(tensor)
            for step in range(1, STEPS + 1):
                value = state.step(value, gradient(tensor, step), rate(case, step), step)
                if step in KEPT:
                    stride = max(1, value.size // 32)
                    values[f"{case['name']}.{tensor}.{step}"] = value.reshape(-1)[::stride].astype(F)
        cases.append(case)
    safetensors.numpy.save_file(values, OUT / "optimizers.safetensors")
    head = {"reference": f"torch {torch.__version__}, numpy {np.__version__}", "shapes": SHAPES, "kept": KEPT}
    text = ",\n".join(json.dumps(c) for c in cases)
    (OUT / "optimizers.json").write_text(json.dumps(head)[:-1] + f', "cases": [\n{text}\n]}}\n')


if __name__ == "__main__":
    main()
