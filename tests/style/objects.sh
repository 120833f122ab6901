#!/bin/sh
# SPDX-License-Identifier: MIT
# objects.sh SOURCE BUILD: "file object" of every C source that the tools and libraries are built from, one a line;
# files are named from the top of the repository.
set -eu
sed -n 's/.* -o \([^ ]*\) -c \([^ "]*\)".*/\2 \1/p' "$2/compile_commands.json" |
    sed -n "s|^$1/||p" | grep -v '^\(build\|tests\|bench\|examples\)' | sort -u
