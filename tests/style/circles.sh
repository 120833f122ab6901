#!/bin/sh
# SPDX-License-Identifier: MIT
# circles.sh SOURCE BUILD: files of one library that know one another in a circle must be read
# together, so no circle has more than six.  A file knows another one if it uses a symbol that the
# other defines; the objects' symbol tables say so.  Where a grammar is recursive, so are the walks
# over it: an expression stands in an index, a call, a size, and all of these in expressions.  Those
# circles are listed here, with the most files that they may have.
set -u
folder=$(dirname "$0")
objects=$(mktemp)
trap 'rm -f "$objects"' EXIT
sh "$folder/objects.sh" "$1" "$2" >"$objects"
cd "$2" || exit 2
sed 's/^[^ ]* //' "$objects" | xargs nm -A -g | awk '
BEGIN {
    MOST = 6
    most["ezpim/ez/check"] = 10 # expressions of the language: names and types
    most["ezpim/ez/lower"] = 10 # likewise: code
    most["ezpim/np/"] = 26      # expressions of kernels in Python, texts and math among them
    most["runtime/pipeline"] = 9 # a session may be a pipeline, whose parts are sessions
    most["ezpim/erc/"] = 9      # ensembles in templates in ensembles of .erc
}
FILENAME == ARGV[1] {
    file_of[$2] = $1
    next
}
{
    object = $1
    sub(/:[^:]*$/, "", object)
    file = file_of[object]
    library[file] = object
    sub(/\.dir\/.*/, "", library[file])
    if ($(NF - 1) == "U")
        uses[++count] = file " " $NF
    else if ($NF !~ /^_Z/ && $NF != "main")
        owner[library[file], $NF] = file
}
function limit_of(file, start) {
    for (start in most)
        if (index(file, start) == 1)
            return most[start]
    return MOST
}
END {
    for (i = 1; i <= count; i++) {
        split(uses[i], part, " ")
        other = owner[library[part[1]], part[2]]
        if (other != "" && other != part[1] && !((part[1], other) in edge)) {
            edge[part[1], other] = 1
            next_of[part[1]] = next_of[part[1]] " " other
            edges++
        }
    }
    for (file in next_of) { # all that it reaches
        size = 1
        stack[1] = file
        while (size) {
            at = stack[size--]
            n = split(next_of[at], part, " ")
            for (k = 1; k <= n; k++)
                if (!((file, part[k]) in reach)) {
                    reach[file, part[k]] = 1
                    stack[++size] = part[k]
                }
        }
    }
    for (file in next_of) {
        circle = file
        members = 1
        limit = limit_of(file)
        if (!((file, file) in reach) || file in done)
            continue
        for (other in next_of)
            if (other != file && (file, other) in reach && (other, file) in reach) {
                circle = circle "\n    " other
                members++
                done[other] = 1
                if (limit_of(other) > limit)
                    limit = limit_of(other)
            }
        if (members > limit) {
            print members " files in a circle, " limit " may be:\n    " circle
            bad = 1
        }
    }
    if (edges < 500) {
        print "circles.sh: " edges + 0 " uses found: too few to be all"
        bad = 1
    }
    exit bad
}' "$objects" -
