#!/bin/sh
# SPDX-License-Identifier: MIT
# lines.sh SOURCE: the front end for Python stays small (400 lines of it are for floats); what other
# languages need, too, is below.
set -u
lines=$(cat "$1"/ezpim/np/* | wc -l)
[ "$lines" -le 6400 ] || {
    echo "ezpim/np/ has $lines lines, and 6400 at most are allowed"
    exit 1
}
