#!/usr/bin/env python3
"""Writes tests/data/llama and tests/data/models: tiny random checkpoints with the results that transformers computes.

    model_goldens.py [NAME...]        (default: all of model_specs.py)

NAME/  config.json, model.safetensors   as `save_pretrained` writes them
       config_old.json     (some) the same model in the keys of transformers before version 5
       golden.safetensors  input_ids, labels [2, 24]: row 1 has 17 tokens, then padding (id 0, label -100);
                           logits_0 [24, V] and logits_1 [17, V], fp32
       grads.safetensors   d loss / d parameter, named and shaped as in model.safetensors, fp32
       golden.json         loss, the losses before and after each of 5 AdamW steps, what was checked

Labels are unshifted (position t is predicted by the logits at t - 1); the first 8 of each row are masked. The loss is
the mean over the supervised targets of both rows. AdamW: lr 1e-3, betas 0.9/0.999, eps 1e-8, weight decay 0.1 on every
parameter, no clipping. All is computed in fp32, whatever the weights are stored in. Where the longest row of a batch
changes the angles of all, each row is computed by itself; where even that depends on earlier calls, there are logits of
fresh models alone.

Needs torch and transformers (tools/requirements/parity.txt).
"""
import json
import os
import pathlib
import re
import shutil
import sys

os.environ["HF_HUB_OFFLINE"] = "1"
import torch  # noqa: E402
import transformers  # noqa: E402
from model_specs import BY_LENGTH, OLD_KEYS, SPECS, STATEFUL, STORED_BF16  # noqa: E402
from safetensors.torch import load_file, save_file  # noqa: E402
from transformers.utils import logging  # noqa: E402

DATA = pathlib.Path(__file__).resolve().parents[2] / "tests/data"
LENGTHS, MASKED, STEPS = (24, 17), 8, 5
DROPOUTS = ("attention_dropout", "hidden_dropout", "residual_dropout", "embedding_dropout", "attn_pdrop", "embd_pdrop",
            "resid_pdrop")


def model_class(name):
    stem = SPECS[name][0]
    return getattr(transformers, stem + "ForCausalLM", None) or getattr(transformers, stem + "LMHeadModel")


def seed_of(name):
    return 7 + list(SPECS).index(name) if name.startswith("llama/") else sum(name.encode())


def build(name):
    kind = model_class(name)
    config = kind.config_class(**SPECS[name][1], attn_implementation="eager", use_cache=False)
    for key in DROPOUTS:
        if hasattr(config, key):
            setattr(config, key, 0.0)
    torch.manual_seed(seed_of(name))
    model = kind(config).float().train()
    generator = torch.Generator().manual_seed(seed_of(name))
    with torch.no_grad():  # large enough that every feature shows in the logits
        for key, p in model.named_parameters():
            noise = torch.randn(p.shape, generator=generator)
            if p.ndim == 1 or re.search(r"q_norm|k_norm|A_log", key):
                p.add_(0.1 * noise)
            else:
                p.copy_(noise * (0.5 if re.search("embed|wte|wpe", key) else 0.15))
        for key, b in model.named_buffers():
            if "correction_bias" in key:
                b.copy_(0.1 * torch.randn(b.shape, generator=generator))
    return model


def reload(folder, name):
    return model_class(name).from_pretrained(folder, dtype=torch.float32, attn_implementation="eager").train()


def batch(vocab):
    generator = torch.Generator().manual_seed(42)
    ids = torch.randint(3, vocab, (2, max(LENGTHS)), generator=generator)
    attention = torch.ones_like(ids)
    ids[1, LENGTHS[1]:] = 0
    attention[1, LENGTHS[1]:] = 0
    labels = ids.clone()
    labels[:, :MASKED] = -100
    labels[1, LENGTHS[1]:] = -100
    return ids, attention, labels


def row_alone(model, ids, i):
    return model(input_ids=ids[i:i + 1, :LENGTHS[i]]).logits[0].float()


def loss_of(model, name, ids, attention, labels):
    """The loss, and each row's logits."""
    if name in BY_LENGTH:
        rows = [row_alone(model, ids, i) for i in range(len(LENGTHS))]
    else:
        logits = model(input_ids=ids, attention_mask=attention).logits.float()
        rows = [logits[i, :n] for i, n in enumerate(LENGTHS)]
    logits = torch.cat([row[:-1] for row in rows])
    targets = torch.cat([labels[i, 1:n] for i, n in enumerate(LENGTHS)])
    return torch.nn.functional.cross_entropy(logits, targets, ignore_index=-100), rows


def save_grads(model, folder, name):
    """As the checkpoint: save_pretrained renames and splits gradients as it does weights."""
    parameters = dict(model.named_parameters())
    unused = [key for key, p in parameters.items() if p.grad is None]
    assert not unused, (name, unused)
    model.save_pretrained(folder / "tmp", state_dict={key: p.grad.clone() for key, p in parameters.items()})
    shutil.move(folder / "tmp/model.safetensors", folder / "grads.safetensors")
    shutil.rmtree(folder / "tmp")
    weights, grads = load_file(folder / "model.safetensors"), load_file(folder / "grads.safetensors")
    assert set(grads) <= set(weights) and all(grads[k].shape == weights[k].shape for k in grads), name
    return sorted(set(weights) - set(grads))


def golden(name):
    folder = DATA / name
    shutil.rmtree(folder, ignore_errors=True)
    model = build(name)
    model.to(torch.bfloat16 if name in STORED_BF16 else torch.float32).save_pretrained(folder)
    (folder / "generation_config.json").unlink(missing_ok=True)
    model = reload(folder, name)
    ids, attention, labels = batch(model.config.vocab_size)
    loss, rows = loss_of(model, name, ids, attention, labels)
    loss.backward()
    with torch.no_grad():
        alone = [row_alone(reload(folder, name), ids, i) for i in range(len(LENGTHS))]
    difference = max((a - row).abs().max().item() for a, row in zip(alone, rows))
    assert difference < 1e-4 or name in STATEFUL, (name, difference)
    kept = alone if name in STATEFUL else rows
    save_file({"input_ids": ids, "labels": labels,
               **{f"logits_{i}": row.detach().contiguous() for i, row in enumerate(kept)}}, folder / "golden.safetensors")
    info = {"padded_vs_alone": difference, "logit_std": rows[0].std().item()}
    if name not in STATEFUL:
        info["without_gradient"] = save_grads(model, folder, name)
        info["losses"] = train(model, name, ids, attention, labels, loss)
    for path in folder.glob("*.safetensors"):
        path.chmod(0o644)
    (folder / "golden.json").write_text(json.dumps(info, indent=1) + "\n")
    if name in OLD_KEYS:
        old_keys(name, folder, ids, kept)
    return info


def train(model, name, ids, attention, labels, loss):
    losses = [loss.item()]
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.1)
    for _ in range(STEPS):
        optimizer.step()
        optimizer.zero_grad()
        loss, _ = loss_of(model, name, ids, attention, labels)
        loss.backward()
        losses.append(loss.item())
    return losses


def old_keys(name, folder, ids, rows):
    config = json.loads((folder / "config.json").read_text())
    scaling = config.pop("rope_parameters")
    if "sliding_attention" in scaling:
        local, scaling = scaling["sliding_attention"], scaling["full_attention"]
        if "gemma3" in name:
            config["rope_local_base_freq"] = local["rope_theta"]
    config["rope_theta"] = scaling.pop("rope_theta")
    if "partial_rotary_factor" in scaling:
        config["partial_rotary_factor"] = scaling.pop("partial_rotary_factor")
    if name in ("llama/rope_linear", "models/phi3_longrope"):  # the first generation of all: "type"
        scaling = {"type": scaling.pop("rope_type"), **scaling}
    if "phi3" in name:
        scaling.pop("original_max_position_embeddings")
    if "default" not in scaling.values():
        config["rope_scaling"] = scaling
    config["torch_dtype"] = config.pop("dtype")
    config["transformers_version"] = "4.43.0"
    text = json.dumps(config, indent=2, sort_keys=True) + "\n"
    (folder / "config_old.json").write_text(text)
    with_old = folder / "tmp"
    with_old.mkdir()
    shutil.copy(folder / "model.safetensors", with_old)
    (with_old / "config.json").write_text(text)
    with torch.no_grad():
        for i, row in enumerate(rows):
            assert (row_alone(reload(with_old, name), ids, i) - row).abs().max() < 1e-4, name
    shutil.rmtree(with_old)


def main():
    torch.set_num_threads(1)
    logging.disable_progress_bar()
    for name in sys.argv[1:] or SPECS:
        info = golden(name)
        losses = info.get("losses", [float("nan")])
        size = sum(p.stat().st_size for p in (DATA / name).iterdir()) // 1000
        print(f"{name:26s} {size:4d} kB, loss {losses[0]:.4f} -> {losses[-1]:.4f}, logits' deviation "
              f"{info['logit_std']:.2f}, alone {info['padded_vs_alone']:.1e} {info.get('without_gradient') or ''}",
              flush=True)


if __name__ == "__main__":
    main()
