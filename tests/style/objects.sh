#!/bin/sh
# SPDX-License-Identifier: MIT
# objects.sh SOURCE BUILD: "file object" of every C source that the tools and libraries are built from, one a line;
# files are named from the top of the repository.
set -eu
sed -n 's/^  "file": "\(.*\)"$/F \1/p; s/^  "command": .* -o \([^ ]*\) -c .*/O \1/p' "$2/compile_commands.json" |
    awk -v top="$1/" '
    $1 == "O" { object = $2 }
    $1 == "F" && index($0, top) == 3 { print substr($0, length(top) + 3), object }' |
    grep -v '^\(build\|tests\|bench\|examples\)' | sort -u
