#!/usr/bin/env python3
"""Runs the fuzzers of build-fuzz, which `make fuzz` builds, and takes over into tests/fuzz/corpus what they found.

    fuzz.py run [--seconds N] [--jobs N] [NAME...]   each fuzzer for N seconds (60), so many at a time (a CPU each); one
                               line a fuzzer. What it finds stays in build-fuzz/fuzz/NAME, where the next run begins. Exits
                               with 1 where an input crashes, leaks, or takes too much time or memory
    fuzz.py merge [NAME...]    adds to tests/fuzz/corpus/NAME the smallest of these inputs that reach what nothing there
                               does, up to 200 kB in all
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
FUZZ = ROOT / "tests/fuzz"
PROGRAMS = ROOT / "build-fuzz/bin"
SCRATCH = ROOT / "build-fuzz/fuzz"
SEEDS = {"columnar": ROOT / "tests/data/columnar/files"}  # of those that have no corpus of their own
MAX_BYTES = 8192  # as long as the longest of the corpora, and short enough to be fast
LIMITS = [f"-max_len={MAX_BYTES}", "-timeout=10", "-rss_limit_mb=2048"]
REPORT_LINES = 60
CORPUS_BYTES = 200_000


def known():
    return sorted(p.name.removeprefix("fuzz_") for p in PROGRAMS.glob("fuzz_*"))


def environment():
    """Reports name lines, by what Debian's g++ and clang bring for it."""
    env = dict(os.environ, UBSAN_OPTIONS="print_stacktrace=1")
    env["ASAN_OPTIONS"] = "allow_addr2line=1"
    symbolizer = shutil.which("llvm-symbolizer-19")
    return env | ({"ASAN_SYMBOLIZER_PATH": symbolizer} if symbolizer else {})


def options(name):
    dictionary = FUZZ / f"{name}.dict"
    return LIMITS + ([f"-dict={dictionary}"] if dictionary.exists() else [])


def scratch_corpus(name):
    """A folder that the fuzzer may write to, with the committed corpus and what earlier runs found."""
    folder = SCRATCH / name / "corpus"
    shutil.copytree(SEEDS.get(name, FUZZ / "corpus" / name), folder, dirs_exist_ok=True)
    return folder


def last(pattern, text):
    found = re.findall(pattern, text)
    return int(found[-1]) if found else 0


def report(name, log, seconds):
    """The line on a run that went well."""
    runs, new = (last(rf"stat::{what}: +(\d+)", log) for what in ("number_of_executed_units", "new_units_added"))
    coverage = last(r"cov: (\d+)", log)
    return (f"{name:12} {seconds:5} s {runs:10} runs {runs // max(seconds, 1):7}/s   coverage {coverage:6}"
            f"   new inputs {new}")


def complaint(name, log):
    """What there is to know about a run that failed: the report, the input, and how to run it again."""
    lines = log.splitlines()
    start = next((i for i, line in enumerate(lines) if "ERROR: " in line or "runtime error: " in line), len(lines) - 20)
    artifact = re.findall(r"Test unit written to (\S+)", log)
    again = f"again: build-fuzz/bin/fuzz_{name} {artifact[-1]}" if artifact else f"all of it: build-fuzz/fuzz/{name}/log"
    return "\n".join([f"{name}: FAILED", *("  " + line for line in lines[max(start, 0):][:REPORT_LINES]), f"  {again}"])


def fuzz(name, seconds):
    """Runs one fuzzer; what to say of it, and whether it went well."""
    corpus = scratch_corpus(name)
    log = SCRATCH / name / "log"
    command = [PROGRAMS / f"fuzz_{name}", corpus, f"-max_total_time={seconds}", "-print_final_stats=1", "-print_funcs=0",
               f"-artifact_prefix=build-fuzz/fuzz/{name}/", *options(name)]
    with open(log, "wb") as out:
        status = subprocess.run(command, stdout=out, stderr=out, env=environment(), cwd=ROOT).returncode
    text = log.read_text(errors="replace")
    return (report(name, text, seconds), True) if status == 0 else (complaint(name, text), False)


def run(names, seconds, jobs):
    well = True
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for done in concurrent.futures.as_completed([pool.submit(fuzz, name, seconds) for name in names]):
            text, good = done.result()
            print(text, flush=True)
            well = well and good
    return 0 if well else 1


def size(files):
    return sum(file.stat().st_size for file in files)


def drop_largest(files, limit):
    """Removes of these files the largest, until the others have no more than so many bytes."""
    files = sorted(files, key=lambda file: file.stat().st_size)
    while files and size(files) > limit:
        files.pop().unlink()


def merge(names):
    for name in names:
        corpus = FUZZ / "corpus" / name
        before = set(corpus.iterdir())
        # Without counters an input counts for the code that it reaches, not for how often: the corpora stay small.
        done = subprocess.run([PROGRAMS / f"fuzz_{name}", "-merge=1", "-use_counters=0", *options(name), corpus,
                               scratch_corpus(name)], capture_output=True, text=True, errors="replace", env=environment())
        if done.returncode != 0:
            sys.exit(f"{name}: the merge failed:\n{done.stderr}")
        drop_largest(set(corpus.iterdir()) - before, CORPUS_BYTES - size(before))
        files = list(corpus.iterdir())
        print(f"{name:12} {len(files) - len(before)} inputs more; now {len(files)}, {size(files)} bytes")
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    for command in ("run", "merge"):
        sub = commands.add_parser(command)
        sub.add_argument("names", nargs="*", metavar="NAME")
        if command == "run":
            sub.add_argument("--seconds", type=int, default=60)
            sub.add_argument("--jobs", type=int, default=os.cpu_count())
    arguments = parser.parse_args()
    fuzzers = known() if arguments.command == "run" else [name for name in known() if name not in SEEDS]
    unknown = sorted(set(arguments.names) - set(fuzzers))
    if unknown or not fuzzers:
        sys.exit(f"no fuzzer {', '.join(unknown)}; there are: {', '.join(fuzzers) or 'none (`make fuzz` builds them)'}")
    names = arguments.names or fuzzers
    return merge(names) if arguments.command == "merge" else run(names, arguments.seconds, arguments.jobs)


if __name__ == "__main__":
    sys.exit(main())
