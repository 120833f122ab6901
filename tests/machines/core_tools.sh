# SPDX-License-Identifier: MIT
# What the tests of the toy core by its tools begin with; arguments SOURCE BIN TOYBIN.  They end with
# `exit $status`.
set -u
source=$1 PATH=$2:$PATH toy=$3
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
core=$source/tests/machines/core/core.yaml
status=0

# expect WHAT WANTED COMMAND...: the first line that it prints holds WANTED; holds: all that it prints.
expect() {
    what=$1 wanted=$2
    shift 2
    got=$("$@" 2>&1 | head -n 1)
    case $got in *"$wanted"*) ;; *) echo "$what: '$got', not '$wanted'" && status=1 ;; esac
}
holds() {
    what=$1 wanted=$2
    shift 2
    got=$("$@" 2>&1)
    case $got in *"$wanted"*) ;; *) echo "$what: '$got', not '$wanted'" && status=1 ;; esac
}
run() { "$toy/mpu-run" --target "$core" "$@"; }
# The totals of statistics in JSON, and the machine's own.
total() { tr -d ' \n' <"$1" | sed 's/.*"total":\({[^}]*}\).*"machine":\({[^}]*}\).*/\1 \2/'; }
