#!/usr/bin/env bash
# The checks that need no build: format of C++, Rust, Go and Python, Python's types, layers, files. All run; any failure
# fails the whole.
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
  sources 'src/*.cpp' 'src/*.h' 'benchmarks/*.cpp' 'include/*.h' 'include/*.hpp' 'tests/*.cpp' 'tests/*.h' 'tests/*.c' 'examples/*.c' 'examples/*.cpp' 'bindings/*.c' 'bindings/*.h' |
    xargs -r clang-format-19 --dry-run -Werror
}
# cgo needs the header and no library: a pkg-config file of the header alone will do.
go_lint() {
  local module packages=build/lint formatter
  local -x CGO_CFLAGS=-DILT_LINT PKG_CONFIG_PATH=$PWD/build/lint  # keeps apart what is built and cached without the library
  formatter=$(tools/go.sh env GOROOT)/bin/gofmt
  mkdir -p $packages
  printf 'Name: libilt\nDescription: its header\nVersion: 0\nCflags: -I%s\n' "$PWD/include" >$packages/ilt.pc
  [ -z "$(sources '*.go' | xargs -r "$formatter" -l | tee /dev/stderr)" ] || return 1
  for module in bindings/go examples/go benchmarks/binding_cost/go; do
    tools/go.sh -C $module vet ./... || return 1
    (cd $module && PATH=$(dirname "$formatter"):$PATH "$OLDPWD/.deps/bin/staticcheck" -checks all,-ST1000 ./...) ||
      return 1
  done
}
format_rust() { sources '*Cargo.toml' | while read -r manifest; do cargo fmt --all --check --manifest-path "$manifest" || return 1; done; }
# Where it is there: not every system has clippy for its Rust. It needs no libilt, as documentation on docs.rs does not.
clippy() {
  cargo clippy --version >/dev/null 2>&1 || { echo "clippy: not here; it comes with rustup, or as Debian's rust-web-clippy"; return; }
  sources bindings/rust/Cargo.toml 'examples/rust/*/Cargo.toml' 'benchmarks/*/rust/Cargo.toml' | while read -r manifest; do
    DOCS_RS=1 CARGO_TARGET_DIR=build/clippy cargo clippy --quiet --locked --workspace --all-targets --all-features \
      --manifest-path "$manifest" -- -D warnings || return 1
  done
}
python_lint() { sources '*.py' | xargs -r .deps/venv/bin/ruff check --quiet --config tools/ruff.toml; }
python_types() { .deps/venv/bin/mypy --no-error-summary; }
shell_lint() { sources '*.sh' .ci/run | while read -r f; do bash -n "$f" || return 1; done; }

check "C++ format (make format)" format_cpp
check "Rust format (make format)" format_rust
check "Go" go_lint
check "Rust binding (clippy)" clippy
check "Python" python_lint
check "Python types" python_types
check "shell" shell_lint
check "bindings" python3 tools/check_bindings.py --all
check "layers" python3 tools/check_layers.py
check "files" python3 tools/check_files.py

if [ ${#failed[@]} != 0 ]; then
  printf 'lint: failed: %s\n' "${failed[@]}"
  exit 1
fi
echo "lint: all good"
