#!/bin/sh
# SPDX-License-Identifier: MIT
# The README's own kernel compiles and runs by the commands that stand there.
#   readme.sh SOURCE_DIR BIN
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
awk '/^Save as/ { on = 1; next } on && /^    / { sub(/^    /, ""); print; seen = 1; next }
     on && seen && NF { exit } on && seen { print }' "$1/README.md" >"$dir/mykernel.ez"
grep '^    ezpim mykernel\|^    mpu-run --target racer mykernel' "$1/README.md" >"$dir/commands"
[ "$(wc -l <"$dir/commands")" = 2 ]
[ "$(grep -c . "$dir/mykernel.ez")" -le 10 ]
cd "$dir"
PATH=$2:$PATH sh -e ./commands >out
grep -qx 'z = 3 5 0' out
grep -q 'issue slots used' out
