"""Fine-tunes a model on a file of chat records, shows each step, and saves the result.

finetune.py MODEL_FOLDER DATA.jsonl OUT_FOLDER [option=value ...]
"""

import sys

import ilt

DEFAULTS = {"effective_batch_size": 16, "max_seq_len": 2048, "max_batch_len": 4096, "learning_rate": 1e-5}


def show_step(event: ilt.Event) -> None:
    if event.type is ilt.EventType.STEP_END:
        m = event.metrics
        print(
            f"step {m.step} of {m.step_total}: loss {m.loss:.4f}, gradient norm {m.grad_norm:.3f}, "
            f"{m.tokens_per_second:.0f} tokens/s"
        )


def main() -> int:
    if len(sys.argv) < 4:
        print("usage: finetune.py MODEL_FOLDER DATA.jsonl OUT_FOLDER [option=value ...]", file=sys.stderr)
        return 2
    model, data, out, *changes = sys.argv[1:]
    try:
        config = ilt.Config({"model_path": model, "data_path": data, **DEFAULTS})
        for change in changes:
            key, _, value = change.partition("=")
            config[key] = value
        with ilt.Session(config, callbacks=[show_step]) as session:
            session.run()
            session.save(out)
    except ilt.Error as error:
        print(f"{error.status_name}: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
