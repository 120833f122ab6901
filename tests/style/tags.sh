#!/bin/sh
# SPDX-License-Identifier: MIT
# tags.sh SOURCE: the name of a struct, union or enum stands for one thing: no two files define the
# same.  dp_code may be several: what a kind of machine makes of a run is opaque to all others.
set -u
cd "$1" || exit 2
find support isa-spec object asm target recipe machines disasm linker ezpim emu runtime tools \
    -type f -name '*.[chly]' | sort | xargs awk '
/^(struct|union|enum) [a-z_0-9]+ \{/ && $2 != "dp_code" {
    count++
    if ($2 in first) {
        print FILENAME ":" FNR ": " $1 " " $2 " is defined at " first[$2], "too"
        bad = 1
    }
    first[$2] = FILENAME ":" FNR
}
END {
    if (count < 300) {
        print "tags.sh: " count + 0 " tags found: too few to be all"
        bad = 1
    }
    exit bad
}'
