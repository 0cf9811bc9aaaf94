"""tokenizer.json whose post-processor puts <s> in front, as Llama's does."""
import json, os


def make(model, base):
    p = os.path.join(model, "tokenizer.json")
    t = json.load(open(p, encoding="utf-8"))
    t["post_processor"] = {"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
                           "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 0}}],
                           "special_tokens": {"<s>": {"id": "<s>", "ids": [1], "tokens": ["<s>"]}}}
    base.dump(p, t)

# ruff: noqa
