#!/bin/sh
# SPDX-License-Identifier: MIT
# The grammar of ezpim as a page, from the parser's own: docs/ezpim-grammar.md must be what this
# writes.
#   grammar.sh SOURCE WORK            compares
#   grammar.sh SOURCE WORK --write    writes the page
set -eu
LC_ALL=C
export LC_ALL
source=$1 work=$2
mkdir -p "$work"
bison -v --report-file="$work/report" -o "$work/parser.c" "$source/ezpim/ez/grammar.y"
{
    cat <<'END'
# The grammar of ezpim

As the parser has it: words between quotes stand as they are; *name*, *number*, *character* (`'a'`) and *text* (between double quotes, on one line) are what
they say; *comparison* is one of `== != < > >=`, *shift* `<<` or `>>`, *division* `/` or `%`, *compound assignment* an operator and `=`;
*collective* one of `broadcast scatter gather allgather alltoall transpose`, *reduction* `reduce` or `allreduce`; *%empty* is nothing. What the rules let through and the language does not, the compiler refuses with a reason:
comparisons that chain, for one. [ezpim.md](ezpim.md) says what all of it means.

END
    sed -n '/^Grammar/,/^Terminals/p' "$work/report" | awk '
        /^Grammar|^Terminals|\$accept/ { next }
        /^ *[0-9]/ {
            sub(/^ *[0-9]+ /, "")
            if ($0 ~ / error( |$)/) next
            if ($0 ~ /^ *\|/) { sub(/^ *\|/, "    |"); print "    " $0; next }
            print ""
            print "    " $0
        }'
} >"$work/page.md"
if [ "${3:-}" = --write ]; then
    cp "$work/page.md" "$source/docs/ezpim-grammar.md"
    exit 0
fi
diff "$source/docs/ezpim-grammar.md" "$work/page.md" ||
    { echo "stale: sh tests/ezpim/grammar.sh . build/grammar --write"; exit 1; }
