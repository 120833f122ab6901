#!/bin/sh
# SPDX-License-Identifier: MIT
# Makes the examples' data anew and compares it with what is committed.
set -u
bin=$1 data=$2
fresh=$(mktemp -d) || exit 2
trap 'rm -rf "$fresh"' EXIT
"$bin/example-picture" "$fresh" && "$bin/example-references" "$fresh" &&
    "$bin/example-programs" "$fresh" && "$bin/example-tables" "$fresh" &&
    diff -r "$fresh" "$data"
