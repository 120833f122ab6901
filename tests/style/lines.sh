#!/bin/sh
# SPDX-License-Identifier: MIT
# lines.sh SOURCE: the front end for Python stays small; what other languages need, too, is below.
set -u
lines=$(cat "$1"/ezpim/np/* | wc -l)
[ "$lines" -le 6000 ] || {
    echo "ezpim/np/ has $lines lines, and 6000 at most are allowed"
    exit 1
}
