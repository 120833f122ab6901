#!/bin/sh
# SPDX-License-Identifier: MIT
# lines.sh SOURCE: the front end for Python stays small (400 lines of it are for floats, 600 for what messages offer, 1,100 for the types that NumPy takes and for loops and lists of Python,
# 650 for its texts, `math` and lists that grow, and for operators by their names, 300 for functions in functions and for those of NumPy that say slices and joined parts in one word); what other
# languages need, too, is below.
set -u
lines=$(cat "$1"/ezpim/np/* | wc -l)
[ "$lines" -le 9300 ] || {
    echo "ezpim/np/ has $lines lines, and 9300 at most are allowed"
    exit 1
}
