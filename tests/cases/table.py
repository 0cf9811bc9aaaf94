"""What each case asks of the ilt command: a row is a case's id and its steps. cases.jsonl says why."""

from datetime import date, timedelta

from hosts import Arguments, Host
from models import Generate, RefuseModel, Score, TrainedExport
from steps import Export, Inspect, Process, ProcessColumnar, Refuse, Step
from training import Damage, Fails, FullDisk, Rates, Resume, Train

# "Hi" and "Hello you" in the base model's template.
ONLY_AT_THE_END = {"no-checkpoint-at-epoch": "true"}
HELLO = "../D18/expected.json"


def today(form: str) -> tuple[str, ...]:
    """The day of the test, or the next one where midnight passes in between."""
    return tuple((date.today() + timedelta(days)).strftime(form) for days in (0, 1))


WHOLE_TABLE = [512, 64]  # 297 tokens, padded


def bad_shape(name: str, *words: str | tuple[str, ...]) -> Refuse:
    return Refuse(f"rows.{name}.jsonl", words=("line 1", *words))


TABLE: dict[str, list[Step | Score | RefuseModel | TrainedExport | Generate | Host | Arguments]] = {
    # Data rows
    "D01": [
        Process("rows.jsonl", absent_ids=(24,)),  # the byte CR
        Process("rows.lf.jsonl", absent_ids=(24,)),
        Inspect("rows.jsonl"),
    ],
    "D02": [Process("rows.jsonl")],
    "D05": [
        Refuse("rows.jsonl", env={"LANG": lang}, words=("line 2", "UTF-8", "column 47"))
        for lang in ("C", "de_DE.ISO-8859-1")
    ],
    "D07": [Process("rows.jsonl")],
    "D08": [Process("rows.jsonl", stats={"empty_turns": 1})],
    "D09": [
        Process("rows.string.jsonl"),
        Process("rows.parts.jsonl", absent=("'type'",)),
        Refuse("rows.image.jsonl", words=("line 1", "image_url"), absent=("'type'",)),
    ],
    "D11": [
        Process("rows.jsonl", options=("--max-seq-len", "256")),
        ProcessColumnar("rows.parquet", options=("--max-seq-len", "256")),
        ProcessColumnar("rows.arrow", options=("--max-seq-len", "256")),
    ],
    "D13": [
        Process("rows.jsonl", expected=HELLO, dropped={"no supervised token": 1}, said=("no supervised token",)),
        Refuse("rows.all.jsonl", words=("anything to learn",)),
    ],
    "D14": [
        Refuse("rows.jsonl", words=("line 2", "Turns must alternate, starting with user.")),
        Process(
            "rows.jsonl",
            options=("--set", "max_bad_records=1"),
            expected=HELLO,
            dropped={"bad record": 1},
            bad_records=(("line 2", "Turns must alternate, starting with user."),),
        ),
    ],
    "D16": [Process("rows.jsonl"), Process("rows.messages.jsonl")],
    "D17": [Refuse("rows.jsonl", words=("line 2", "message 1", "hummany", "human"))],
    "D18": [Process("rows.jsonl", times=3, stats={"unused_keys": ["id", "lang", "meta", "score"]})],
    "D20": [
        Refuse("array.jsonl", words=("array",)),
        Refuse("pretty.jsonl", words=("line 1", "several lines")),
        Refuse("comma.jsonl", words=("line 1", "column 97", "comma")),
        Refuse("two.jsonl", words=("line 1", "column 97", "more than one object")),
    ],
    "D23": [Process("rows.jsonl", expected=HELLO, dropped={"too long": 1}, said=("too long",), peak_megabytes=300)],
    "D25": [
        bad_shape("norole", "message 1", "role"),
        bad_shape("nullrole", "message 2", "role"),
        bad_shape("introle", "message 1", "role"),
        bad_shape("empty", "messages", "empty"),
        bad_shape("notobject", "message 1", ("messages", "object")),
        bad_shape("intcontent", "message 1", "content", "string"),
    ],
    # Tokenizer and chat template
    "T01": [Process("rows.jsonl", stats={"terminators": {"<end_of_turn>": 1}}, said=("end_of_turn",))],
    "T03": [
        Process("rows.jsonl", absent=("OLD",)),
        Export("rows.jsonl", same=("chat_template.jinja", "tokenizer_config.json")),
    ],
    "T05": [
        Process(
            "rows.jsonl",
            options=("--chat-template-date", "2026-01-31"),
            env={"LC_ALL": locale},
            texts=("Today: 31 Jan 2026",),
            stats={"template_date": "2026-01-31"},
        )
        for locale in ("C", "de_DE.UTF-8")
    ]
    + [Process("rows.jsonl", expected="", samples=1, texts=(today("Today: %d %b %Y"),), said=(today("%Y-%m-%d"),))],
    "T06": [Process("rows.jsonl", absent=("greet back",))],
    "T09": [Process("rows.jsonl")],
    "T11": [Process("rows.jsonl")],
    "T13": [Process("rows.jsonl"), Export("rows.jsonl", same=("tokenizer.json", "tokenizer_config.json"))],
    # Runs
    "R01": [Resume("rows.jsonl")],
    "R03": [FullDisk("rows.jsonl")],
    "R04": [Damage("rows.jsonl")],
    "R06": [
        Train(
            "rows.jsonl",
            set={"effective-batch-size": 1, "num-epochs": 1, "max-steps": 12, "save-every-steps": 1, "keep-last": 3},
            compare=False,
            states=("step_10", "step_11", "step_12"),
        ),
        Train(
            "rows.jsonl",
            set={"effective-batch-size": 1, "num-epochs": 1, "max-steps": 12, "save-every-steps": 1, "keep-last": 0},
            compare=False,
            states=tuple(f"step_{step}" for step in range(1, 13)),
        ),
        Fails("rows.jsonl", set={"keep-last": -1}, words=("keep_last", "-1"), code=2),
    ],
    "R07": [
        Train("rows.jsonl", set={"num-epochs": 2}),
        Train("rows.jsonl", set={"num-epochs": 2, "max-batch-len": 40}),
    ],
    "R09": [
        Refuse(
            "rows.jsonl",
            options=("--max-seq-len", "40", "--overlong", "truncate"),
            words=("max_seq_len", "40", "supervised", "2 of 2"),
        ),
        Refuse("rows.jsonl", options=("--max-seq-len", "40"), words=("2", "too long")),
    ],
    "R10": [Train("rows.jsonl", set={"effective-batch-size": 8}, models=("samples_1", "samples_2", "samples_3"))],
    "R12": [Rates("rows.jsonl")],
    "R13": [Fails("rows.jsonl", words=("step 1", "NaN"))],
    "R19": [
        Train("rows.jsonl", set={"save-every-steps": 1000} | ONLY_AT_THE_END, compare=False, models=("samples_24",)),
        Train(
            "rows.jsonl",
            set={"save-samples": 5} | ONLY_AT_THE_END,
            compare=False,
            models=("samples_8", "samples_12", "samples_16", "samples_20", "samples_24"),
        ),
        Train("rows.jsonl", set={"save-samples": 0} | ONLY_AT_THE_END, compare=False, models=("samples_24",)),
    ],
    # config.json
    "C01": [
        Score(f"config.merge.{name}.json", expected="expected.json") for name in ("rope_parameters", "rope_type", "type")
    ],
    "C04": [
        Score(),
        TrainedExport(config=dict.fromkeys(("head_dim", "rope_scaling", "sliding_window", "quantization_config"))),
    ],
    "C05": [Score(f"config.merge.{name}.json", expected="expected.json") for name in ("absent", "null")],
    "C06": [Score(expected="expected.json")],
    "C09": [
        TrainedExport(
            "rows.jsonl",
            shapes={"model.embed_tokens.weight": WHOLE_TABLE, "lm_head.weight": WHOLE_TABLE},
            config={"vocab_size": 512},
        )
    ],
    "C10": [
        Fails("rows.bad.jsonl", words=("<|new|>", "512", "line 2")),
        Train("rows.ok.jsonl", compare=False, said=("513 tokens", "512 rows")),
        TrainedExport(
            "rows.bad.jsonl",
            set={"resize-vocab": "true"},
            shapes={"model.embed_tokens.weight": [513, 64], "lm_head.weight": [513, 64]},
            config={"vocab_size": 513},
        ),
        TrainedExport(
            "rows.bad.jsonl",
            set={"resize-vocab": "true", "resize-vocab-multiple": 64},
            shapes={"model.embed_tokens.weight": [576, 64], "lm_head.weight": [576, 64]},
            config={"vocab_size": 576},
        ),
    ],
    "C12": [
        Score(expected="expected.json"),
        TrainedExport(absent="lm_head", tensors=20, expected="expected.json"),
    ],
    "C14": [Generate("Hi"), TrainedExport(config={"eos_token_id": [2, 10]})],
    "C16": [
        RefuseModel(f"config.merge.{name}.json", words=("quantization_config", method))
        for name, method in (("bnb", "bitsandbytes"), ("fp8", "fp8"), ("gptq", "gptq"))
    ],
    "C17": [
        RefuseModel("config.merge.rope.json", words=("ntk-by-parts", "rope_type", "yarn")),
        RefuseModel("config.merge.act.json", words=("squareplus", "hidden_act", "silu")),
        RefuseModel("config.merge.type.json", words=("llamb", "llama")),
    ],
    "C18": [RefuseModel(words=("model.layers.2.", "9 tensors"))],
    # Weights
    "S01": [RefuseModel(words=("model-00002-of-00002.safetensors",))],
    "S05": [Score()],
    "S06": [Score(), TrainedExport(absent="inv_freq", expected="../_common/base.expected.json")],
    "S07": [Score(), Score(weights="model.empty.safetensors"), TrainedExport()],
    "S09": [RefuseModel(weights="broken.*.safetensors", count=14)],
    "S14": [RefuseModel(words=("model.layers.0.self_attn.k_proj.weight", "[32, 64]", "[64, 32]"))],
    # Embedding
    "E01": [Host()],
    "E02": [Host(program="e02_actions")],
    "E03": [Host()],
    "E08": [Host()],
    "E09": [Arguments()],
    "E11": [Host()],
}
