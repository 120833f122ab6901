#!/bin/sh
# SPDX-License-Identifier: MIT
# missing.sh BUILD: what is compiled waits for the generated headers that it includes, so that a clean
# build cannot fail by the order in which its steps happen to run.  Ninja compares what was included
# with what the rules say; a folder that another tool has built has no such record (77).
set -u
LC_ALL=C
export LC_ALL
[ -f "$1/build.ninja" ] && [ -f "$1/.ninja_deps" ] && command -v ninja >/dev/null || exit 77
found=$(ninja -C "$1" -t missingdeps) || { echo "$found" && exit 1; }
case $found in
*"Processed 0 nodes"*) echo "nothing was looked at" && exit 1 ;;
*"No missing dependencies"*) exit 0 ;;
*) echo "$found" && exit 1 ;;
esac
