"""rows.jsonl: one row of 8 MiB of text, one short row."""
import json, os


def make(model, base):
    big = {"messages": [{"role": "user", "content": "word and " * 932067}, {"role": "assistant", "content": "Yes"}]}
    ok = {"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello you"}]}
    with open(os.path.join(os.path.dirname(model), "rows.jsonl"), "w") as f:
        f.write(json.dumps(big) + "\n" + json.dumps(ok) + "\n")

# ruff: noqa
