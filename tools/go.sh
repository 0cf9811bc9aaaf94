#!/usr/bin/env bash
# Runs `go` with its arguments: the one on the PATH, in /usr/local/go, or that of `make deps`; the first new enough.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
needed=$(sed -n 's/^go \([0-9.]*\)$/\1/p' "$root/examples/go/go.mod")
export GOTOOLCHAIN=local                               # never another one from the network
# Go's build cache looks at this, but neither at headers outside a package nor at what pkg-config says.
export CGO_CFLAGS="${CGO_CFLAGS:--O2 -g} -DILT_H_$(sha256sum <"$root/include/ilt.h" | cut -c1-16)"
export GOFLAGS="${GOFLAGS:+$GOFLAGS }-buildvcs=false"  # the checkout may belong to another user

for go in go /usr/local/go/bin/go "$root"/.deps/venv/lib/python3*/site-packages/go/bin/go; do
  version=$("$go" env GOVERSION 2>/dev/null) || continue
  if [ "$(printf '%s\n%s\n' "$needed" "${version#go}" | sort -V | head -n1)" = "$needed" ]; then
    exec "$go" "$@"
  fi
done
echo "go.sh: Go $needed or newer is needed: 'tools/deps.sh go' installs one" >&2
exit 1
