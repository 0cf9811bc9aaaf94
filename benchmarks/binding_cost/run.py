#!/usr/bin/env python3
"""Measures what a call of libilt costs in each language above C, and how long a step takes in each.

run.py [--rounds 5] [--limit-ns 5000] [--limit-step 0.01] [LANGUAGE ...]

The programs run in turn, round after round, so that all meet the same machine; of each case the least time counts.
A language is a line of PROGRAMS: how its program is built, and how it is run with the model's folder as argument.
They use an installed copy of the build, or what the build has for the language.
Fails where a call costs more than the first limit above C, or a step is slower by more than the second.
"""
import argparse
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / "build"
MODEL = BUILD / "tests/capi/model"
HERE = pathlib.Path(__file__).parent
INSTALLED = BUILD / "binding_cost"
PROGRAMS = {
    "c": (["cmake", "--build", BUILD, "--target", "bench_binding_cost"], [BUILD / "bin/bench_binding_cost"]),
    "python": (["cmake", "--build", BUILD, "--target", "ilt_native"],
               [ROOT / ".deps/venv/bin/python", HERE / "binding_cost.py"]),
    "go": ([ROOT / "tools/go.sh", "-C", HERE / "go", "build", "-o", INSTALLED / "go", "."], [INSTALLED / "go"]),
    "rust": (["cargo", "build", "--release", "--locked", "--quiet", "--manifest-path", HERE / "rust/Cargo.toml"],
             [INSTALLED / "rust/release/binding_cost"]),
}
ENVIRONMENT = {**os.environ, "ILT_DIR": str(INSTALLED), "CARGO_TARGET_DIR": str(INSTALLED / "rust"),
               "PKG_CONFIG_PATH": str(INSTALLED / "lib/pkgconfig"), "PYTHONPATH": str(BUILD / "python"),
               "LD_LIBRARY_PATH": f"{INSTALLED / 'lib'}:{os.environ.get('LD_LIBRARY_PATH', '')}"}


def measure(command):
    """Nanoseconds by case."""
    out = subprocess.run([*command, MODEL], check=True, capture_output=True, text=True, env=ENVIRONMENT).stdout
    return {name: float(value) for name, value in (line.split() for line in out.splitlines())}


def least(languages, rounds):
    """The least time by language and case."""
    times = {language: {} for language in languages}
    for _ in range(rounds):
        for language in languages:
            for case, value in measure(PROGRAMS[language][1]).items():
                times[language][case] = min(value, times[language].get(case, value))
    return times


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("languages", nargs="*", metavar="LANGUAGE", help=f"of {', '.join(PROGRAMS)}; all")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--limit-ns", type=float, default=5000)
    parser.add_argument("--limit-step", type=float, default=0.01)
    arguments = parser.parse_args()
    languages = list(dict.fromkeys(["c", *(arguments.languages or PROGRAMS)]))
    install = ["cmake", "--install", BUILD, "--prefix", INSTALLED]
    for command in [install, *(PROGRAMS[language][0] for language in languages)]:
        subprocess.run(command, check=True, env=ENVIRONMENT, stdout=subprocess.DEVNULL)
    times = least(languages, arguments.rounds)

    too_slow = []
    print("| call | " + " | ".join(f"{language}, ns" for language in languages) + " |")
    print("|---" * (len(languages) + 1) + "|")
    for case, in_c in times["c"].items():
        print(f"| {case} | " + " | ".join(f"{times[language][case]:.0f}" for language in languages) + " |")
        limit = in_c * (1 + arguments.limit_step) if case == "step" else in_c + arguments.limit_ns
        too_slow += [f"{language}: {case}" for language in languages if times[language][case] > limit]
    if too_slow:
        sys.exit(f"over the limit: {', '.join(too_slow)}")


if __name__ == "__main__":
    main()
