#!/bin/sh
# SPDX-License-Identifier: MIT
# fresh.sh ISA-GEN SOURCE WORK TABLE...: generates reference pages and editor files into WORK and
# compares them with the committed ones, file by file.
set -eu
gen=$1 source=$2 work=$3
shift 3
rm -rf "$work"
mkdir -p "$work"
"$gen" docs "$work/isa" "$source/isa-spec/costs.csv" "$@"
"$gen" editors "$work/editors" "$source/isa-spec/keywords.txt" "$@"
status=0
diff -r "$source/docs/isa" "$work/isa" || status=1
for editor in vim vscode emacs; do
    diff -r "$source/editors/$editor" "$work/editors/$editor" || status=1
done
[ $status = 0 ] || echo "stale: cmake --build build --target isa-generate"
exit $status
