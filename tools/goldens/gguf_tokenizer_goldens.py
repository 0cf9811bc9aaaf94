#!/usr/bin/env python3
"""Writes tests/data/gguf/tokenizer/: small vocabularies as GGUF files without weights, and what they make of texts.

KIND.gguf      byte-level BPE, trained here on the documentation, cut as the models that have tokenizer.ggml.pre = KIND;
               "spm" is SentencePiece's BPE with bytes for what it does not know
expected.json  the texts, and for each kind their ids: of Hugging Face's tokenizers with the definition in those models'
               tokenizer.json, of SentencePiece itself for "spm"; added: with BOS and EOS as the file asks

Needs gguf, tokenizers and sentencepiece.
"""
import io
import json
import pathlib

import sentencepiece
from gguf import GGUFWriter, TokenType
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

ROOT = pathlib.Path(__file__).resolve().parents[2]
OUT = ROOT / "tests/data/gguf/tokenizer"
TEXTS = ["", "Hello, world!", "  two blanks  and\ttab\n\n\nlines \n", "It's we'll THEY'RE don'T 'sit",
         "12345 1 22 333 4444 5.5e10",
         "CamelCaseWords HTTPServer x_y", "naïve Å A\u030a ﬁ 東京 ありがとう 🙂🙂 \u200d", "a<|im_end|>\nb <s>c</s> d",
         "# Title\n\n- `code` -> {\"a\": [1, 2]};\r\n\tindent   deep", "end "]
LLAMA3 = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+"
          r"|\s+(?!\S)|\s+")
UPPER, LOWER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
HEAD, TAIL = r"[^\r\n\p{L}\p{N}]?", r"| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
SHORT = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
TEKKEN = f"{HEAD}{UPPER}*{LOWER}+|{HEAD}{UPPER}+{LOWER}*|\\p{{N}}{TAIL}"
GPT4O = f"{HEAD}{UPPER}*{LOWER}+{SHORT}|{HEAD}{UPPER}+{LOWER}*{SHORT}|\\p{{N}}{{1,3}}{TAIL}"


def split(expression):
    return pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(expression), "isolated"),
                                    pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])


GPT2 = pre_tokenizers.ByteLevel(add_prefix_space=False)
# How text is cut, whether words that are tokens stay whole, whether text is composed.
KINDS = {
    "gpt-2": (GPT2, False, False),
    "smollm": (pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=True), GPT2]), False, False),
    "llama-bpe": (split(LLAMA3), True, False),
    "qwen2": (split(LLAMA3.replace("{1,3}", "")), False, True),
    "tekken": (split(TEKKEN), True, False),
    "gpt-4o": (split(GPT4O), False, False),
}
SPECIAL = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")
TEMPLATE = "{% for m in messages %}{{ '<|im_start|>' + m.role + '\n' + m.content + '<|im_end|>\n' }}{% endfor %}"


def corpus():
    return [path.read_text() for path in sorted((ROOT / "docs").glob("*.md"))]


def train(kind):
    cut, whole, composed = KINDS[kind]
    tokenizer = Tokenizer(models.BPE(ignore_merges=whole))
    tokenizer.pre_tokenizer = cut
    tokenizer.decoder = decoders.ByteLevel()
    if composed:
        tokenizer.normalizer = normalizers.NFC()
    trainer = trainers.BpeTrainer(vocab_size=560, special_tokens=list(SPECIAL), show_progress=False,
                                  initial_alphabet=pre_tokenizers.ByteLevel.alphabet())
    tokenizer.train_from_iterator(corpus(), trainer)
    # A word that no merge makes, for those that leave words whole.
    definition = json.loads(tokenizer.to_str())
    vocab = definition["model"]["vocab"]
    assert "Hello" not in vocab
    vocab["Hello"] = len(vocab)
    tokenizer = Tokenizer.from_str(json.dumps(definition))
    tokenizer.add_special_tokens([AddedToken(t, special=True, normalized=False) for t in SPECIAL])
    tokenizer.add_tokens([AddedToken("<tool>", special=False, normalized=False)])
    return tokenizer


def close(writer):
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def write_bpe(kind, tokenizer):
    definition = json.loads(tokenizer.to_str())
    tokens = sorted(tokenizer.get_vocab(with_added_tokens=True).items(), key=lambda item: item[1])
    types = [TokenType.CONTROL if t in SPECIAL else TokenType.USER_DEFINED if t == "<tool>" else TokenType.NORMAL
             for t, _ in tokens]
    filled = [t for t, _ in tokens] + [f"[PAD{i}]" for i in range(len(tokens), len(tokens) + 3)]
    writer = GGUFWriter(OUT / f"{kind}.gguf", "llama")
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre(kind)
    writer.add_token_list(filled)
    writer.add_token_types(types + [TokenType.UNUSED] * 3)
    writer.add_token_merges([" ".join(m) for m in definition["model"]["merges"]])
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_pad_token_id(0)
    writer.add_chat_template(TEMPLATE)
    close(writer)


def write_spm():
    trained = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(line for text in corpus() for line in text.split("\n")), model_writer=trained,
        model_type="bpe", vocab_size=600, byte_fallback=True, normalization_rule_name="identity",
        remove_extra_whitespaces=False,
        character_coverage=0.999, minloglevel=2)
    spm = sentencepiece.SentencePieceProcessor(model_proto=trained.getvalue())
    kinds = [(spm.is_unknown, TokenType.UNKNOWN), (spm.is_control, TokenType.CONTROL), (spm.is_byte, TokenType.BYTE)]
    count = spm.vocab_size()
    writer = GGUFWriter(OUT / "spm.gguf", "llama")
    writer.add_tokenizer_model("llama")
    writer.add_tokenizer_pre("default")
    writer.add_token_list([spm.id_to_piece(i) for i in range(count)])
    writer.add_token_scores([spm.get_score(i) for i in range(count)])
    writer.add_token_types([next((kind for test, kind in kinds if test(i)), TokenType.NORMAL) for i in range(count)])
    writer.add_bos_token_id(spm.bos_id())
    writer.add_eos_token_id(spm.eos_id())
    writer.add_unk_token_id(spm.unk_id())
    writer.add_add_bos_token(True)
    writer.add_add_eos_token(True)
    close(writer)
    plain = [t for t in TEXTS if "<s>" not in t]  # SentencePiece has no special tokens in text
    return {"texts": plain, "ids": [spm.encode(t) for t in plain], "added": [1, 2]}


def main():
    OUT.mkdir(parents=True, exist_ok=True)
    expected = {}
    for kind in KINDS:
        tokenizer = train(kind)
        write_bpe(kind, tokenizer)
        adds_bos = kind in ("llama-bpe", "tekken")
        expected[kind] = {"texts": TEXTS, "ids": [tokenizer.encode(t, add_special_tokens=False).ids for t in TEXTS],
                          "added": [1] if adds_bos else []}
    expected["spm"] = write_spm()
    (OUT / "expected.json").write_text(json.dumps(expected, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
