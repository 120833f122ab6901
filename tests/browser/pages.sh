#!/bin/sh
# SPDX-License-Identifier: MIT
# Report pages and the explorer in Chromium, headless and without network: check.py looks at each.
# Skipped (exit 77) where there is no Chromium; ./dev browser installs it.
#   pages.sh SOURCE BIN WORK [--rebase]     --rebase: screenshots are written, not compared
set -eu
source=$1 bin=$(cd "$2" && pwd) work=$3 rebase=${4:-}
here=$(cd "$(dirname "$0")" && pwd)
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || exit 77
PATH=$bin:$PATH
rm -rf "$work"
mkdir -p "$work"
cd "$work"
cp "$source/examples/brightness.ez" "$source/examples/data/landscape.pgm" .
inputs="--in pixel=landscape.pgm --in gain=40 --in level=200"
# shellcheck disable=SC2086
{
    mpu-run --target racer brightness.ez $inputs --report one.html
    mpu-run --target racer,mimdram,pypim,simt brightness.ez $inputs --iso-area none --report several.html >table
    ezpim -g brightness.ez -o brightness.mpu
    mpu-objdump --html explorer.html --target racer,mimdram --size h=480,w=640 brightness.mpu $inputs
    mpu-run --target racer,mimdram brightness.ez $inputs --set array.lanes=32,64 --iso-area none --base mimdram --report sweep.html >table
}
status=0
for page in *.html; do
    /usr/bin/python3 "$here/check.py" "$browser" "$page" "$here/${page%.html}.png" $rebase || status=1
done
# What it must see: a page that fetches, one that speaks, a picture without a title, a link to nowhere.
for fault in '<img src="http://example.invalid/x.png"/>' '<script>console.log("here")</script>' \
    '<svg xmlns="http://www.w3.org/2000/svg"></svg>' '<a href="#nowhere">x</a>'; do
    sed "s|</body>|$fault</body>|" one.html >fault.html
    if /usr/bin/python3 "$here/check.py" "$browser" fault.html >fault.txt 2>&1; then
        echo "not noticed: $fault"
        status=1
    fi
done
mkdir dark
sed 's|background:#ffe08a||g' explorer.html >dark/explorer.html
if /usr/bin/python3 "$here/check.py" "$browser" dark/explorer.html >fault.txt 2>&1; then
    echo "not noticed: nothing lights up"
    status=1
fi
exit $status
