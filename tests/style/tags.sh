#!/bin/sh
# SPDX-License-Identifier: MIT
# tags.sh SOURCE: the name of a struct, union or enum stands for one thing: no two files define the
# same.  dp_code may be several: what a kind of machine makes of a run is opaque to all others.
# A name with mpu_ is the public header's alone: one that it lacks would read like one of its own.
set -u
cd "$1" || exit 2
find support isa-spec object asm target recipe portable stage pipeline machines disasm linker ezpim emu runtime tools \
    -type f -name '*.[chly]' | sort | xargs awk '
FILENAME ~ /include\/mpu\/(mpu|dpu|pipeline|simt|simt_host)\.h$/ {
    line = $0
    while (match(line, /mpu_[a-z_0-9]+/)) {
        public[substr(line, RSTART, RLENGTH)] = 1
        line = substr(line, RSTART + RLENGTH)
    }
}
/^(struct|union|enum) mpu_[a-z_0-9]+ \{/ {
    internal[$2] = FILENAME ":" FNR
}
/^(struct|union|enum) [a-z_0-9]+ \{/ && $2 != "dp_code" {
    count++
    if ($2 in first) {
        print FILENAME ":" FNR ": " $1 " " $2 " is defined at " first[$2], "too"
        bad = 1
    }
    first[$2] = FILENAME ":" FNR
}
END {
    for (name in internal)
        if (!(name in public)) {
            print internal[name] ": " name ": mpu_ is for what mpu.h has"
            bad = 1
        }
    if (length(public) < 100) {
        print "tags.sh: " length(public) " names of mpu.h found: too few to be all"
        bad = 1
    }
    if (count < 300) {
        print "tags.sh: " count + 0 " tags found: too few to be all"
        bad = 1
    }
    exit bad
}'
