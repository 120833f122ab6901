#!/bin/sh
# SPDX-License-Identifier: MIT
# prefixes.sh SOURCE BUILD: what a C file shows to others begins with a prefix of its module.  The
# table stands in docs/architecture.md, one row for a module:
#   | `folder/`, `folder/file` | `prefix_`, `other_` | ... |
# The longest entry that the file's path begins with counts; "folder/file" is the family of
# files that begin so.
# The objects' own symbol tables are read, so that nothing is overlooked.
set -u
folder=$(dirname "$0")
objects=$(mktemp)
trap 'rm -f "$objects"' EXIT
sh "$folder/objects.sh" "$1" "$2" >"$objects"
cd "$2" || exit 2
sed 's/^[^ ]* //' "$objects" | xargs nm -A -g --defined-only | awk '
FILENAME == ARGV[1] {
    file_of[$2] = $1
    next
}
FILENAME == ARGV[2] {
    if (/^\| Module \| Prefix/)
        table = 1
    else if (!/^\|/)
        table = 0
    if (table && /^\| `/) {
        split($0, cell, "|")
        rows++
        count = names(cell[2], entry)
        for (i = 1; i <= count; i++) {
            prefixes[entry[i]] = cell[3]
        }
    }
    next
}
{
    object = $1
    sub(/:[^:]*$/, "", object)
    file = file_of[object]
    name = $NF
    if (name == "main" || name ~ /^_Z|^DW\.ref\./) # A program; names of C++, and what it refers to.
        next
    symbols++
    module = ""
    for (entry_of in prefixes)
        if (index(file, entry_of) == 1 && length(entry_of) > length(module))
            module = entry_of
    if (module == "") {
        complain(file ": the table of prefixes in docs/architecture.md does not have it")
        next
    }
    count = names(prefixes[module], prefix)
    for (i = 1; i <= count; i++)
        if (index(name, prefix[i]) == 1)
            next
    complain(file ": " name " begins with no prefix of its module:" prefixes[module])
}
function complain(what) {
    if (!(what in said))
        print what
    said[what] = 1
    bad = 1
}
# What stands between backquotes.
function names(text, list, part, n, i, count) {
    n = split(text, part, "`")
    for (i = 2; i <= n; i += 2)
        list[++count] = part[i]
    return count + 0
}
END {
    if (rows < 10 || symbols < 500) {
        print "prefixes.sh: " rows + 0 " rows and " symbols + 0 " symbols found: too few to be all"
        bad = 1
    }
    exit bad
}' "$objects" "$1/docs/architecture.md" -
