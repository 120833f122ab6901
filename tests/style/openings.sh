#!/bin/sh
# SPDX-License-Identifier: MIT
# openings.sh SOURCE: every C file begins with what it is for, and with what holds in it all the
# time where that is not plain: a comment behind the licence line.
set -u
cd "$1" || exit 2
find support isa-spec object asm target recipe portable stage pipeline machines disasm linker ezpim emu runtime tools bench \
    -type f -name '*.[chly]' |
    sort | xargs awk '
FNR == (FILENAME ~ /\.l$/ ? 3 : 2) {
    files++
    if (!/^ \* [^ ]/) {
        print FILENAME ": begins without saying what it is for"
        bad = 1
    }
}
END {
    if (files < 300) {
        print "openings.sh: " files + 0 " files found: too few to be all"
        bad = 1
    }
    exit bad
}'
