#!/bin/sh
# SPDX-License-Identifier: MIT
# paths.sh SOURCE: a file of the project that a page names in backquotes, by its folder, is there.
# mpu/.. are the installed headers, of runtime/include.
cd "$1" || exit 1
status=0
for path in $(grep -ohE '`[a-z][a-zA-Z0-9_-]*/[a-zA-Z0-9_./-]+\.(c|h|l|y|isa|def|sh|recipe|csv|inc|py|ez|s)`' \
    README.md docs/*.md ./*/README.md | tr -d '`' | sort -u); do
    [ -e "$path" ] || [ -e "runtime/include/$path" ] || {
        echo "$path: no such file, but $(grep -lF "\`$path\`" README.md docs/*.md ./*/README.md | tr '\n' ' ')names it"
        status=1
    }
done
exit $status
