#!/usr/bin/env python3
"""What Python costs above C: processor time of a call, and of a training step beside what libilt itself measures.

PYTHONPATH=build/python .deps/venv/bin/python benchmarks/python_overhead.py MODEL_FOLDER DATA.jsonl
"""

import sys
import time

import ilt
from ilt import _native

ROUNDS, CALLS, STEPS = 9, 20_000, 5


def microseconds(function):
    """Processor time of a call, the least of some rounds."""
    best = float("inf")
    for _ in range(ROUNDS):
        begin = time.process_time()
        for _ in range(CALLS):
            function()
        best = min(best, time.process_time() - begin)
    return best / CALLS * 1e6


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    model, data = sys.argv[1:]
    options = ilt.Options(
        model_path=model,
        data_path=data,
        effective_batch_size=4,
        max_seq_len=512,
        max_batch_len=1024,
        learning_rate=1e-5,
        max_steps=STEPS,
        num_threads=1,
    )
    with ilt.Session(options) as session:
        pointer = session._pointer
        token = ilt.CancelToken()
        print(f"_native.ilt_metrics_get     {microseconds(lambda: _native.ilt_metrics_get(pointer)):7.2f} us a call")
        print(f"session.metrics             {microseconds(lambda: session.metrics):7.2f} us a call")
        print(f"token.cancelled             {microseconds(lambda: token.cancelled):7.2f} us a call")
        begin, within = time.perf_counter(), 0.0
        for metrics in session.steps():
            within += metrics.step_seconds
        whole = time.perf_counter() - begin
        print(f"a step                      {whole / STEPS * 1e3:7.2f} ms, of which outside libilt {1 - within / whole:.3%}")


if __name__ == "__main__":
    main()
