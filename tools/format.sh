#!/usr/bin/env bash
# Rewrites C++, Rust and Python sources in the project's format.
set -euo pipefail
cd "$(dirname "$0")/.."
export PATH="$PATH:$HOME/.cargo/bin"
sources() { git ls-files --cached --others --exclude-standard -- "$@" | while read -r f; do [ ! -f "$f" ] || echo "$f"; done; }

tools/deps.sh lint
sources 'src/*.cpp' 'src/*.h' 'benchmarks/*.cpp' 'include/*.h' 'include/*.hpp' 'tests/*.cpp' 'tests/*.h' 'tests/*.c' 'examples/*.c' 'examples/*.cpp' 'bindings/*.c' 'bindings/*.h' |
  xargs -r clang-format-19 -i
sources '*.go' | xargs -r "$(tools/go.sh env GOROOT)/bin/gofmt" -w
sources '*Cargo.toml' | while read -r manifest; do cargo fmt --all --manifest-path "$manifest"; done
sources '*.py' | xargs -r .deps/venv/bin/ruff check --quiet --fix --config tools/ruff.toml
