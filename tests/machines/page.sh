#!/bin/sh
# SPDX-License-Identifier: MIT
# A page whose blocks are the files of a folder: carries it out (tests/docs/page.sh), and compares each
# file of the folder with what the page made.
#   page.sh [--rebase] PAGE FOLDER BIN WORK     --rebase writes the files, and what commands print,
#                                               into the page; read the diff!
set -u
rebase=
[ "$1" != --rebase ] || { rebase=--rebase && shift; }
page=$1 folder=$2 bin=$3 work=$4
MPU=$(cd "$(dirname "$0")/../.." && pwd)
export MPU

if [ -n "$rebase" ]; then
    mkdir -p "$work"
    awk -v folder="$folder" '
        skip { if (/^```$/) { skip = 0; print }; next }
        { print }
        /^```[a-z-]+ [a-z]/ {
            file = folder "/" $2
            while ((getline line <file) > 0) { print line; skip = 1 } }' "$page" >"$work.page" &&
        mv "$work.page" "$page"
fi
# shellcheck disable=SC2086
sh "$MPU/tests/docs/page.sh" $rebase "$page" "$bin" "$work" || exit 1
status=0
for file in "$folder"/*; do
    cmp "$file" "$work/d/${file##*/}" || status=1
done
exit $status
