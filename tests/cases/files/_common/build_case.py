#!/usr/bin/env python3
"""build_case.py CASE_DIR OUT [--merge config.merge.X.json]

Makes OUT/model from the base model and what the case brings:
  config.merge.json / tokenizer_config.merge.json   {"set": {...}, "remove": [...]} onto config.json / tokenizer_config.json
                                                    (weights follow the merged config unless "weights_from_base": true)
  model/*                                           copied over the folder byte for byte (chat_template.jinja, ...)
  make.py                                           make(model_dir, base) runs last, for broken or odd files
Data files (rows*.jsonl) are used from the case folder, unless make.py writes them to OUT.
"""
import importlib.util, json, os, shutil, sys
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import base


def main(case, out, merge=None):
    model = os.path.join(out, "model")
    if os.path.isdir(model):
        shutil.rmtree(model)
    cfg, shape_cfg = dict(base.CFG), None
    p = os.path.join(case, merge or "config.merge.json")
    if os.path.exists(p):
        m = json.load(open(p, encoding="utf-8"))
        shape_cfg = dict(cfg) if m.get("weights_from_base") else None
        base.merge(cfg, p)
    base.build(model, cfg, weights=False)
    base.write_st(os.path.join(model, "model.safetensors"), base.model_tensors(shape_cfg or cfg))
    p = os.path.join(case, "tokenizer_config.merge.json")
    if os.path.exists(p):
        base.dump(os.path.join(model, "tokenizer_config.json"), base.merge(base.tokenizer_config(), p))
    d = os.path.join(case, "model")
    if os.path.isdir(d):
        shutil.copytree(d, model, dirs_exist_ok=True)
    p = os.path.join(case, "make.py")
    if os.path.exists(p):
        spec = importlib.util.spec_from_file_location("make", p)
        mod = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(mod)
        mod.make(model, base)
    return model


if __name__ == "__main__":
    a = sys.argv[1:]
    mg = a[a.index("--merge") + 1] if "--merge" in a else None
    print(main(a[0], a[1], mg))

# ruff: noqa
