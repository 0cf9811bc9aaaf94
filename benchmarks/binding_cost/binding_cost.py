"""What small calls and steps cost in Python: the cases of binding_cost.c, which says how."""

import sys
import time
from collections.abc import Callable

import ilt

BATCHES = CALLS = 200
STEPS = 1000


def measure(name: str, batches: int, calls: int, call: Callable[[], object]) -> None:
    least = float("inf")
    for _ in range(batches):
        begin = time.perf_counter_ns()
        for _ in range(calls):
            call()
        least = min(least, (time.perf_counter_ns() - begin) / calls)
    print(f"{name} {least:.1f}")


def main() -> None:
    model = sys.argv[1]
    options = {"model_path": model, "data_path": f"{model}.jsonl", "effective_batch_size": 4, "max_seq_len": 128,
               "max_batch_len": 256, "learning_rate": 1e-5, "max_steps": 1_000_000, "num_threads": 1}
    with ilt.Session(ilt.Config(options)) as session, ilt.Tokenizer(model) as tokenizer:

        def failing() -> None:
            try:
                tokenizer.decode([-1])
            except ilt.Error:
                return
            raise AssertionError("it fails in C")

        measure("version", BATCHES, CALLS, ilt.version)
        measure("metrics", BATCHES, CALLS, lambda: session.metrics)
        measure("encode", BATCHES, CALLS, lambda: tokenizer.encode("Hello"))
        measure("decode", BATCHES, CALLS, lambda: tokenizer.decode([40, 41, 42]))
        measure("failing", BATCHES, CALLS, failing)
        measure("step", STEPS, 1, session.step)


if __name__ == "__main__":
    main()
