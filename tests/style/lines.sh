#!/bin/sh
# SPDX-License-Identifier: MIT
# lines.sh SOURCE: the front end for Python stays small (400 lines of it are for floats, 600 for what messages offer, 1,100 for the types that NumPy takes and for loops and lists of Python,
# 600 for its texts, `math` and lists that grow, and for operators by their names); what other
# languages need, too, is below.
set -u
lines=$(cat "$1"/ezpim/np/* | wc -l)
[ "$lines" -le 8900 ] || {
    echo "ezpim/np/ has $lines lines, and 8900 at most are allowed"
    exit 1
}
