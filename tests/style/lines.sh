#!/bin/sh
# SPDX-License-Identifier: MIT
# lines.sh SOURCE: the front end for Python stays small (400 lines of it are for floats, 600 for what messages offer); what other
# languages need, too, is below.
set -u
lines=$(cat "$1"/ezpim/np/* | wc -l)
[ "$lines" -le 7150 ] || {
    echo "ezpim/np/ has $lines lines, and 7150 at most are allowed"
    exit 1
}
