#!/usr/bin/env python3
"""Makes tests/data/text: a tiny tokenizer, and what transformers and tokenizers give for it.

Usage: text_goldens.py [OUT]   (needs transformers and tokenizers)
"""
import json
import os
import sys

from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from tokenizers import AddedToken
from transformers.utils.chat_template_utils import render_jinja_template

SPECIAL = ["<pad>", "<s>", "</s>", "<|im_start|>", "<|im_end|>", "<start_of_turn>", "<end_of_turn>", "<|user|>",
           "<|assistant|>"]
PLAIN_ADDED = ["<think>", "</think>", "<tool_call>", "</tool_call>"]
CORPUS = ["Hello you, the weather is kind today. Yes, it is 4 degrees.", "user assistant system tool user assistant",
          "What is 2+2? It is 4. The city of Oslo is in the north.", "Café or tea? Tea, please."]
CHATML = ("{% for m in messages %}{{ '<|im_start|>' + m.role + '\n' + m.content + '<|im_end|>\n' }}{% endfor %}"
          "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}")


def train_tokenizer():
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(vocab_size=330, special_tokens=SPECIAL, show_progress=False,
                                  initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()))
    tokenizer.train_from_iterator(CORPUS, trainer)
    tokenizer.add_tokens([AddedToken(t, special=False, normalized=False) for t in PLAIN_ADDED])
    return tokenizer


def dump(path, value):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        json.dump(value, file, ensure_ascii=False, indent=1)
        file.write("\n")


def byte_offsets(text, offsets):
    size = [0]
    for c in text:
        size.append(size[-1] + len(c.encode()))
    return [[size[a], size[b]] for a, b in offsets]


def encodings(tokenizer):
    texts = ["", "Hello you", "Café or 茶?\r\n\t👍 \u0000", "<|im_start|>user\nHi<|im_end|>\n", "a<think>b</think>c",
             "  two  blanks  ", "שלום नमस्ते", "1234567 x=y<z>"]
    result = []
    for text in texts:
        e = tokenizer.encode(text, add_special_tokens=False)
        result.append({"text": text, "ids": e.ids, "offsets": byte_offsets(text, e.offsets),
                       "decoded": tokenizer.decode(e.ids, skip_special_tokens=False),
                       "decoded_plain": tokenizer.decode(e.ids, skip_special_tokens=True)})
    return result


def user(text):
    return {"role": "user", "content": text}


def said(text, **more):
    return {"role": "assistant", "content": text, **more}


CALL = {"type": "function", "function": {"name": "weather", "arguments": {"city": "Oslo", "days": 2}}}


def render_cases():
    hi = [user("Hi")]
    tricky = {"a": "<é>\"\\\n\u0001", "f": [1.0, 1e16, 1.5e-7, 0.1, -0.0], "n": None, "b": True, "e": {}, "l": []}
    say = "{% for m in messages %}{{ m.role }}:{{ m.content }};{% endfor %}"
    cases = [
        ("chatml", CHATML, hi, True, {}),
        ("tojson", "{{ x | tojson }}|{{ x | tojson(indent=2) }}|{{ x | tojson(ensure_ascii=True) }}|"
                   "{{ x | tojson(separators=(',', ':'), sort_keys=True) }}", hi, False, {"x": tricky}),
        ("str", "{{ x }}|{{ x.f[2] }}|{{ x.b }}|{{ x.n }}|{{ x.f | string }}", hi, False, {"x": {**tricky, "a": "t"}}),
        ("none is not iterable", "{{ tools is iterable }}{{ [] is iterable }}{{ 'x' is iterable }}", hi, False, {}),
        ("blocks trimmed", "{% if true %}\n  {% for m in messages %}\n  {{ m.content }}\n  {% endfor %}\n{% endif %}\nend",
         hi, False, {}),
        ("generation", "{% for m in messages %}{%- generation -%} {{ m.content }} {%- endgeneration -%}!{% endfor %}", hi,
         False, {}),
        ("generation quoted", "{# {% generation %} #}{% raw %}{% generation %}{% endraw %}"
                              "{{ '{% generation %}' }}{% generation %}x{% endgeneration %}", hi, False, {}),
        ("generation scope", "{% set a = 1 %}{% generation %}{% set a = 2 %}{{ a }}{% endgeneration %}{{ a }}", hi, False,
         {}),
        ("reasoning names", "{% for m in messages %}{{ m.reasoning_content }}/{{ m.thinking }};{% endfor %}",
         [said("x", reasoning="r"), said("x", thinking="t"), said("x", reasoning_content="c")], False, {}),
        ("methods", "{{ 'a-b-c'.split('-') }}{{ 'a-b-c'.rsplit('-', 1) }}{{ 'xab'.removeprefix('x') }}"
                    "{{ 'abx'.removesuffix('x') }}{{ 'a=b'.partition('=') }}{{ ' a '.strip() }}{{ 'ab'.upper() }}"
                    "{{ 'abc'[::-1] }}{{ 'a,b'.replace(',', ';') }}{{ 'ab'.startswith('a') }}", hi, False, {}),
        ("namespace and loop", "{% set ns = namespace(n=0) %}{% for i in range(5) %}{% if i == 3 %}{% break %}{% endif %}"
                               "{% set ns.n = ns.n + i %}{{ loop.index }}{% endfor %}={{ ns.n }}", hi, False, {}),
        ("tools", "{% for t in tools %}{{ t | tojson }}{% endfor %}" + say, hi, False, {"tools": [CALL]}),
        ("unicode", say, [user("茶 👍 \ufeff")], False, {}),
    ]
    result = []
    for name, template, messages, prompt, extra in cases:
        text = render_jinja_template([messages], chat_template=template, add_generation_prompt=prompt, **extra)[0][0]
        result.append({"name": name, "template": template, "messages": messages, "add_generation_prompt": prompt,
                       "extra": extra, "expected": text})
    return result


GEMMA = ("{{ '<s>' }}{% for m in messages %}{{ '<start_of_turn>' + ('model' if m.role == 'assistant' else m.role) + '\n' "
         "+ m.content | trim + '<end_of_turn>\n' }}{% endfor %}"
         "{% if add_generation_prompt %}{{ '<start_of_turn>model\n' }}{% endif %}")
INST = ("{{ '<s>' }}{% for m in messages %}{% if m.role == 'user' %}{{ '[INST] ' + m.content + ' [/INST]' }}"
        "{% else %}{{ ' ' + m.content + '</s>' }}{% endif %}{% endfor %}")
NEXT_ROLE = ("{% for m in messages %}{{ '<|' + m.role + '|>\n' + m.content }}{% endfor %}"
             "{% if add_generation_prompt %}{{ '<|assistant|>\n' }}{% endif %}")
# Reasoning only after the last question; an empty block where the last turn has none.
THINKER = ("{% set ns = namespace(last=-1) %}{% for m in messages %}{% if m.role == 'user' %}{% set ns.last = loop.index0 %}"
           "{% endif %}{% endfor %}{% for m in messages %}{{ '<|im_start|>' + m.role + '\n' }}"
           "{% set r = m.reasoning_content or '' %}{% set c = m.content or '' %}"
           "{% if '</think>' in c %}{% set r = c.split('</think>')[0].split('<think>')[-1].strip('\n') %}"
           "{% set c = c.split('</think>')[-1].lstrip('\n') %}{% endif %}"
           "{% if m.role == 'assistant' and loop.index0 > ns.last %}{{ '<think>\n' + r + '\n</think>\n\n' }}{% endif %}"
           "{{ c }}{% for t in m.tool_calls or [] %}{{ '<tool_call>\n' + t.function.name + ' ' }}"
           "{{ t.function.arguments | tojson }}{{ '\n</tool_call>' }}{% endfor %}{{ '<|im_end|>\n' }}{% endfor %}"
           "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}")
NO_PROMPT = THINKER[:THINKER.index("{% if add_generation_prompt %}")].replace(
    "loop.index0 > ns.last %}", "loop.index0 > ns.last and r %}")
LAST_CLOSED_ELSEWISE = ("{% for m in messages %}{{ '<|im_start|>' + m.role + '\n' + m.content }}"
                        "{{ '</s>' if loop.last else '<|im_end|>' }}{% endfor %}"
                        "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}")
CHANNEL = ("{% for m in messages %}{{ '<|im_start|>' + m.role }}{% if m.role == 'assistant' %}{{ '<|user|>final' }}"
           "{% endif %}{{ '\n' + m.content + '<|im_end|>' }}{% endfor %}"
           "{% if add_generation_prompt %}{{ '<|im_start|>assistant' }}{% endif %}")
PLAIN = "{% for m in messages %}{{ m.role + ': ' + m.content + '\n\n' }}{% endfor %}"


def mask_cases():
    """name, template, record, the texts to be learnt in their order (by hand; (text, n) is its nth occurrence)."""
    two = [user("Hi"), said("Hello you"), user("More"), said("Yes")]
    call = {"role": "assistant", "tool_calls": [CALL]}
    after_call = [user("Weather?"), call, {"role": "tool", "content": "3 C"}, said("It is 3 C.")]
    rendered_call = "<tool_call>\nweather {\"city\": \"Oslo\", \"days\": 2}\n</tool_call><|im_end|>"
    return [
        ("chatml", CHATML, {"messages": two}, ["Hello you<|im_end|>", "Yes<|im_end|>"]),
        ("empty answer", CHATML, {"messages": [user("Say nothing."), said("")]}, [("<|im_end|>", 2)]),
        ("answer repeats the question", CHATML, {"messages": [user("Yes"), said("Yes")]}, [("Yes<|im_end|>", 2)]),
        ("unmask", CHATML, {"messages": [{"role": "system", "content": "Be kind."}] + two[:2], "unmask": True},
         ["Hi", "Hello you<|im_end|>"]),
        ("train false", CHATML, {"messages": [user("Hi"), said("No", train=False), user("More"), said("Yes")]},
         ["Yes<|im_end|>"]),
        ("text parts", CHATML, {"messages": [user([{"type": "text", "text": "Hi "}, {"type": "text", "text": "you"}]),
                                             said([{"type": "text", "text": "Hello"}])]}, ["Hello<|im_end|>"]),
        ("blanks kept", CHATML, {"messages": [user("Hi"), said("\n  Yes \n")]}, ["\n  Yes \n<|im_end|>"]),
        ("terminator is not eos", GEMMA, {"messages": two}, ["Hello you<end_of_turn>", "Yes<end_of_turn>"]),
        ("blanks stripped", GEMMA, {"messages": [user("Hi"), said(" \n Hello ")]}, ["Hello<end_of_turn>"]),
        ("blank before the answer", INST, {"messages": two}, [" Hello you</s>", " Yes</s>"]),
        ("next role ends the turn", NEXT_ROLE, {"messages": two}, ["Hello you<|user|>", "Yes"]),
        ("earlier reasoning dropped", NO_PROMPT,
         {"messages": [user("Hi"), said("Hello", reasoning_content="greet back"), user("2+2?"),
                       said("4", reasoning_content="easy sum")]},
         ["Hello<|im_end|>", "<think>\neasy sum\n</think>\n\n4<|im_end|>"]),
        ("reasoning", THINKER, {"messages": [user("Hi"), said("Hello", thinking="greet")]},
         ["<think>\ngreet\n</think>\n\nHello<|im_end|>"]),
        ("reasoning in the content", THINKER, {"messages": [user("Hi"), said("<think>\ngreet\n</think>\n\nHello")]},
         ["<think>\ngreet\n</think>\n\nHello<|im_end|>"]),
        ("empty reasoning block", THINKER, {"messages": two}, ["Hello you<|im_end|>", "Yes<|im_end|>"]),
        ("call after an empty block", THINKER, {"messages": after_call}, [rendered_call, "It is 3 C.<|im_end|>"]),
        ("call after reasoning", THINKER,
         {"messages": [user("Weather?"), {**call, "reasoning_content": "look it up"}]},
         ["<think>\nlook it up\n</think>\n\n" + rendered_call]),
        ("call, null content, no prompt", NO_PROMPT,
         {"messages": [user("Weather?"), {**call, "content": None}] + after_call[2:]},
         [rendered_call, "It is 3 C.<|im_end|>"]),
        ("last turn closed in another way", LAST_CLOSED_ELSEWISE, {"messages": two},
         ["Hello you<|im_end|>", "Yes</s>"]),
        ("channel named by the assistant", CHANNEL, {"messages": [user("Hi"), said("Hello")]},
         ["<|user|>final\nHello<|im_end|>"]),
        ("no special token", PLAIN, {"messages": [user("Hi"), said("Hello"), user("More")]}, ["Hello\n\n"]),
    ]


def prepare(messages):
    """As libilt documents it: parts joined, nulls and `train` dropped."""
    result = []
    for m in messages:
        m = {k: v for k, v in m.items() if v is not None and k != "train"}
        if isinstance(m.get("content"), list):
            m["content"] = "".join(part["text"] for part in m["content"])
        result.append(m)
    return result


def mask_goldens(tokenizer):
    result = []
    for name, template, record, learnt in mask_cases():
        text = render_jinja_template([prepare(record["messages"])], chat_template=template)[0][0]
        e = tokenizer.encode(text, add_special_tokens=False)
        labels, at = [-100] * len(e.ids), 0
        for piece in learnt:
            piece, occurrence = piece if isinstance(piece, tuple) else (piece, 1)
            at = text.index(piece, at)
            for _ in range(occurrence - 1):
                at = text.index(piece, at + 1)
            for i, (a, b) in enumerate(e.offsets):
                if at <= a < at + len(piece):
                    labels[i] = e.ids[i]
            at += len(piece)
        result.append({"name": name, "template": template, "record": record, "text": text, "learnt": learnt,
                       "input_ids": e.ids, "labels": labels})
    return result


def main(out):
    tokenizer = train_tokenizer()
    model = os.path.join(out, "model")
    os.makedirs(model, exist_ok=True)
    tokenizer.save(os.path.join(model, "tokenizer.json"), pretty=False)
    dump(os.path.join(model, "tokenizer_config.json"),
         {"bos_token": "<s>", "eos_token": {"content": "</s>", "lstrip": False}, "pad_token": "<pad>",
          "chat_template": CHATML})
    dump(os.path.join(out, "encode.json"), encodings(tokenizer))
    dump(os.path.join(out, "render.json"), render_cases())
    dump(os.path.join(out, "mask.json"), mask_goldens(tokenizer))


if __name__ == "__main__":
    here = os.path.dirname(os.path.abspath(__file__))
    main(sys.argv[1] if len(sys.argv) > 1 else os.path.join(here, "../../tests/data/text"))
