#!/usr/bin/env python3
"""Renders tests/data/templates with transformers, makes its tokenizers, and checks the hand-written masks.

Usage: template_goldens.py [FOLDER]   (needs transformers and tokenizers)

Each family's folder holds chat_template.jinja, tokenizer_config.json and masks.json, which this reads, and rendered.json
and tokenizer.json, which it writes. A mask is a rendered text with the parts to be learnt between two marks,
or {"refused": part of the error} where the template leaves such a part out.
"""
import datetime
import json
import os
import sys

from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers
from transformers.utils import chat_template_utils

OPEN, CLOSE = "⟦", "⟧"
TODAY = datetime.datetime(2026, 1, 31)

# Special tokens, then added tokens that are not special, as the families' own tokenizers have them.
CHATML = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
QWEN = ["<tool_call>", "</tool_call>"]
DEEPSEEK = ["<｜User｜>", "<｜Assistant｜>", "<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>", "<｜tool▁call▁begin｜>",
            "<｜tool▁call▁end｜>", "<｜tool▁outputs▁begin｜>", "<｜tool▁outputs▁end｜>", "<｜tool▁output▁begin｜>",
            "<｜tool▁output▁end｜>", "<｜tool▁sep｜>", "<think>", "</think>"]
SENTENCE = ["<｜begin▁of▁sentence｜>", "<｜end▁of▁sentence｜>"]
GEMMA = ["<pad>", "<eos>", "<bos>", "<unk>", "<start_of_turn>", "<end_of_turn>"]
MISTRAL = ["<unk>", "<s>", "</s>", "[INST]", "[/INST]", "[AVAILABLE_TOOLS]", "[/AVAILABLE_TOOLS]", "[TOOL_RESULTS]",
           "[/TOOL_RESULTS]", "[TOOL_CALLS]"]
TOKENS = {
    "chatml": (CHATML, []),
    "deepseek-r1": (SENTENCE, DEEPSEEK),
    "deepseek-v3.1": (SENTENCE, DEEPSEEK),
    "gemma2": (GEMMA, []),
    "gemma3": (GEMMA, []),
    "glm4": (["<|endoftext|>", "[gMASK]", "<sop>", "<|system|>", "<|user|>", "<|assistant|>", "<|observation|>"],
             ["<think>", "</think>", *QWEN, "<tool_response>", "</tool_response>", "<arg_key>", "</arg_key>",
              "<arg_value>", "</arg_value>", "/nothink"]),
    "gpt-oss": (["<|startoftext|>", "<|endoftext|>", "<|return|>", "<|constrain|>", "<|channel|>", "<|start|>",
                 "<|end|>", "<|message|>", "<|call|>"], []),
    "granite3": (["<|end_of_text|>", "<|start_of_role|>", "<|end_of_role|>", "<|tool_call|>", "<|start_of_cite|>",
                  "<|end_of_cite|>"], []),
    "llama3.1": (["<|begin_of_text|>", "<|end_of_text|>", "<|start_header_id|>", "<|end_header_id|>", "<|eom_id|>",
                  "<|eot_id|>", "<|python_tag|>"], []),
    "mistral-nemo": (MISTRAL, []),
    "mistral-small3": ([*MISTRAL, "<pad>", "[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]", "[TOOL_CONTENT]", "[CALL_ID]",
                        "[ARGS]"], []),
    "phi3": (["<unk>", "<s>", "</s>", "<|endoftext|>", "<|assistant|>", "<|system|>", "<|end|>", "<|user|>"], []),
    "phi4": ([*CHATML, "<|im_sep|>"], []),
    "qwen2.5": (CHATML, QWEN),
    "qwen3": (CHATML, [*QWEN, "<tool_response>", "</tool_response>", "<think>", "</think>"]),
    "smollm2": (CHATML, []),
    "smollm3-unsloth": (CHATML, [*QWEN, "<think>", "</think>"]),
}


class Clock(datetime.datetime):
    """What templates ask for the date."""

    @classmethod
    def now(cls, tz=None):
        return TODAY


def read(*path):
    with open(os.path.join(*path), encoding="utf-8", newline="") as file:
        return file.read()


def dump(path, value):
    with open(path, "w", encoding="utf-8") as file:
        json.dump(value, file, ensure_ascii=False, indent=1)
        file.write("\n")


def make_tokenizer(special, plain):
    """A token a byte, and the added ones."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokenizer = Tokenizer(models.BPE(vocab={c: i for i, c in enumerate(alphabet)}, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens([AddedToken(t, special=True, normalized=False) for t in special])
    tokenizer.add_tokens([AddedToken(t, special=False, normalized=False) for t in plain])
    return tokenizer


def prepare(messages):
    """As transformers' tokenizers do it: nulls are no keys."""
    return [{k: v for k, v in m.items() if v is not None} for m in messages]


def render(template, tokens, conversation):
    texts = {}
    for name, prompt in (("text", False), ("prompted", True)):
        try:
            texts[name] = chat_template_utils.render_jinja_template(
                [prepare(conversation["messages"])], tools=conversation.get("tools"), chat_template=template,
                add_generation_prompt=prompt, **tokens)[0][0]
        except Exception as error:  # whatever a template does wrong
            return {"raises": f"{type(error).__name__}: {error}"}
    return texts


def check_masks(family, masks, rendered):
    wrong = [f"{family}: {name}: not a conversation that renders" for name in masks
             if "text" not in rendered.get(name, {})]
    for name, texts in rendered.items():
        if "raises" in texts:
            continue
        mask = masks.get(name)
        if mask is None:
            wrong.append(f"{family}: {name}: has no mask")
        elif isinstance(mask, dict):  # {"refused": why}: the template leaves out what is to be learnt
            continue
        elif mask.replace(OPEN, "").replace(CLOSE, "") != texts["text"]:
            wrong.append(f"{family}: {name}: the mask without its marks is not the rendered text")
    return wrong


def main(folder):
    chat_template_utils.datetime = Clock
    conversations = json.loads(read(folder, "conversations.json"))
    wrong = []
    for family, (special, plain) in TOKENS.items():
        here = os.path.join(folder, family)
        tokens = {k: v for k, v in json.loads(read(here, "tokenizer_config.json")).items() if v is not None}
        template = read(here, "chat_template.jinja")
        rendered = {c["name"]: render(template, tokens, c) for c in conversations}
        dump(os.path.join(here, "rendered.json"), rendered)
        make_tokenizer(special, plain).save(os.path.join(here, "tokenizer.json"), pretty=False)
        masks = json.loads(read(here, "masks.json")) if os.path.exists(os.path.join(here, "masks.json")) else {}
        wrong += check_masks(family, masks, rendered)
    if wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    here = os.path.dirname(os.path.abspath(__file__))
    main(sys.argv[1] if len(sys.argv) > 1 else os.path.join(here, "../../tests/data/templates"))
