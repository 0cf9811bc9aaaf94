#!/usr/bin/env bash
# The checks that need no build: format of C++, Rust and Python, Python's types, layers, files. All run; any failure fails the whole.
set -uo pipefail
cd "$(dirname "$0")/.."
export PATH="$PATH:$HOME/.cargo/bin"
failed=()

check() {  # NAME COMMAND...
  local name=$1
  shift
  "$@" || failed+=("$name")
}

sources() { git ls-files --cached --others --exclude-standard -- "$@" | while read -r f; do [ -f "$f" ] && echo "$f"; done; }

format_cpp() {
  sources 'src/*.cpp' 'src/*.h' 'benchmarks/*.cpp' 'include/*.h' 'tests/*.cpp' 'tests/*.h' 'tests/*.c' 'examples/*.c' 'examples/*.cpp' 'bindings/*.c' 'bindings/*.h' |
    xargs -r clang-format-19 --dry-run -Werror
}
format_rust() { sources '*Cargo.toml' | while read -r manifest; do cargo fmt --check --manifest-path "$manifest" || return 1; done; }
python_lint() { sources '*.py' | xargs -r .deps/venv/bin/ruff check --quiet --config tools/ruff.toml; }
python_types() { .deps/venv/bin/mypy --no-error-summary; }
shell_lint() { sources '*.sh' .ci/run | while read -r f; do bash -n "$f" || return 1; done; }

check "C++ format (make format)" format_cpp
check "Rust format (make format)" format_rust
check "Python" python_lint
check "Python types" python_types
check "shell" shell_lint
check "bindings" python3 tools/check_bindings.py bindings/*/
check "layers" python3 tools/check_layers.py
check "files" python3 tools/check_files.py

if [ ${#failed[@]} != 0 ]; then
  printf 'lint: failed: %s\n' "${failed[@]}"
  exit 1
fi
echo "lint: all good"
