#!/bin/sh
# SPDX-License-Identifier: MIT
# lines.sh SOURCE: the front end for Python stays small (400 lines of it are for floats, 600 for what messages offer, 1,100 for the types that NumPy takes and for loops and lists of Python); what other
# languages need, too, is below.
set -u
lines=$(cat "$1"/ezpim/np/* | wc -l)
[ "$lines" -le 8300 ] || {
    echo "ezpim/np/ has $lines lines, and 8300 at most are allowed"
    exit 1
}
