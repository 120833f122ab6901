#!/bin/sh
# SPDX-License-Identifier: MIT
# names.sh SOURCE: the name of a file says what it holds: in the product no name stands in more than
# two folders.  Those that may, because they are the same part of each of them:
#   main.c     the program of a tool
#   golden.h   the golden machine: its operations, its link half and its run half
#   finish.c   reductions that the host finishes: written down, chosen, compiled
#   ast.h      the syntax tree of a language
#   unit.h     what a front end knows of the file that it compiles
#   compile.c  from a source to an object: for all front ends, and in each
set -u
cd "$1" || exit 2
find support isa-spec object asm target recipe portable stage pipeline machines disasm linker ezpim emu runtime tools \
    -type f \( -name '*.[chly]' -o -name '*.cpp' \) | sed 's|.*/||' | sort | uniq -c | awk '
BEGIN {
    count = split("main.c golden.h finish.c ast.h unit.h compile.c", list, " ")
    for (i = 1; i <= count; i++)
        same[list[i]] = 1
}
{
    names++
    if ($1 > 2 && !($2 in same)) {
        print $2 " stands in " $1 " folders: say in the names what each holds"
        bad = 1
    }
    if ($2 in same && $1 > 2)
        delete same[$2]
}
END {
    for (name in same) {
        print "names.sh: " name " is no exception any more"
        bad = 1
    }
    if (names < 400) {
        print "names.sh: " names + 0 " names found: too few to be all"
        bad = 1
    }
    exit bad
}'
