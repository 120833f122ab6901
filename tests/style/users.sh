#!/bin/sh
# SPDX-License-Identifier: MIT
# users.sh SOURCE BUILD: what a C file shows to others, another one uses (the tests are others, too);
# else it is static, or nobody calls it.  What public headers have is for users of the library.
# The objects' own symbol tables are read, so that nothing is overlooked.
set -u
folder=$(dirname "$0")
objects=$(mktemp)
trap 'rm -f "$objects"' EXIT
sh "$folder/objects.sh" "$1" "$2" >"$objects"
cd "$2" || exit 2
find . -name '*.o' -print0 | xargs -0 nm -A 2>/dev/null | awk '
FILENAME == ARGV[1] {
    file_of["./" $2] = $1
    next
}
FILENAME != "-" {
    while (match($0, /mpu_[a-z_0-9]+/)) {
        public[substr($0, RSTART, RLENGTH)] = 1
        $0 = substr($0, RSTART + RLENGTH)
    }
    next
}
{
    object = $1
    sub(/:[^:]*$/, "", object)
    kind = $(NF - 1)
    name = $NF
    if (kind == "U") {
        used[name] = 1
        uses++
    } else if (kind ~ /^[TDRB]$/ && object in file_of && name != "main" && name !~ /^_Z/ &&
               !(name in public))
        shown[name] = file_of[object]
}
END {
    for (name in shown) {
        symbols++
        if (name in used)
            continue
        print shown[name] ": " name " is used in this file alone, or nowhere: static, or not at all"
        bad = 1
    }
    if (symbols < 1000 || uses < 5000) {
        print "users.sh: " symbols + 0 " symbols and " uses + 0 " uses found: too few to be all"
        bad = 1
    }
    exit bad
}' "$objects" "$1"/runtime/include/mpu/*.h -
