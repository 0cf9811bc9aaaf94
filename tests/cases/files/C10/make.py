"""An added token whose id (512) is past the embedding's last row (511)."""
import json
import os


def make(model, base):
    p = os.path.join(model, "tokenizer.json")
    t = json.load(open(p, encoding="utf-8"))
    for i in range(len(t["model"]["vocab"]), 512):
        t["model"]["vocab"]["\u0120filler%d" % i] = i
    t["added_tokens"].append({"id": 512, "content": "<|new|>", "single_word": False,
                              "lstrip": False, "rstrip": False, "normalized": False, "special": True})
    base.dump(p, t)
