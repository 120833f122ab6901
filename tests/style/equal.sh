#!/bin/sh
# SPDX-License-Identifier: MIT
# equal.sh SOURCE: no twelve lines in a row stand in both front ends (ez/, np/): what both need lies
# below them.  Blanks, and lines without a word, do not count.
set -u
cd "$1/ezpim" || exit 2
awk -v n=12 '
FNR == 1 { len = 0 }
{
    gsub(/[ \t]+/, "")
    if ($0 !~ /[A-Za-z]/)
        next
    line[len++ % n] = $0
    if (len < n)
        next
    text = ""
    for (i = 0; i < n; i++)
        text = text "\n" line[(len + i) % n]
    folder = substr(FILENAME, 1, 2)
    if (folder == "ez")
        seen[text] = FILENAME ":" FNR
    else if (text in seen) {
        print FILENAME ":" FNR ": twelve lines up to here stand at " seen[text], "too"
        bad = 1
    }
}
END { exit bad }' ez/*.[chly] np/*.[chly]
