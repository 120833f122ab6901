#!/bin/sh
# SPDX-License-Identifier: MIT
# Carries out a page of the manual from top to bottom, in a folder of its own:
#   ```yaml mine.yaml      the block becomes that file; ```yaml +mine.yaml is appended to it
#       $ command          is run, also over several lines that end in \; what stands below it is what
#                          it prints, with a line "exit N" where it fails.  Nothing below: it succeeds.
#   page.sh [--rebase] PAGE BIN WORK     --rebase writes what is printed now into the page; read the diff!
set -u
LC_ALL=C
export LC_ALL
rebase=
[ "$1" != --rebase ] || { rebase=1 && shift; }
page=$(cd "$(dirname "$1")" && pwd)/${1##*/}
PATH=$(cd "$2" && pwd):$PATH
work=$3
export PATH
rm -rf "$work"
mkdir -p "$work/steps" "$work/d"
work=$(cd "$work" && pwd)

# Step n is n.sh with n.want: what is to be run, and what stands below it (n.none: nothing does).
awk -v to="$work/steps" '
    function step() { n++; script = sprintf("%s/%03d.sh", to, n); on = 0; printf "" >script }
    file != "" { if (/^```$/) { print "END_OF_BLOCK" >script; file = "" } else print >script; next }
    /^```[a-z-]+ [+]?[a-z]/ {
        file = $2; step()
        print "cat " (sub(/^[+]/, "", file) ? ">>" : ">") file " <<\047END_OF_BLOCK\047" >script; next }
    more { print substr($0, 5) >script; more = /\\$/; next }
    /^    \$ / { step(); print substr($0, 7) >script; more = /\\$/; on = 1; next }
    on && /^    / { print substr($0, 5) >(script ".want"); next }
    { on = 0 }' "$page"

status=0
count=0
cd "$work/d" || exit 1
for script in "$work"/steps/*.sh; do
    count=$((count + 1))
    sh "$script" >"$script.out" 2>&1 || echo "exit $?" >>"$script.out"
    if [ -e "$script.want" ]; then
        [ -n "$rebase" ] || diff "$script.want" "$script.out" || { status=1 && echo "differs: $(cat "$script")"; }
    elif grep -q '^exit [0-9]*$' "$script.out"; then
        status=1 && echo "failed: $(cat "$script")" && cat "$script.out"
    fi
done
echo "${page##*/}: $count steps"
[ "$count" -ge 6 ] || { status=1 && echo "a page of the manual has at least 6 steps"; }
[ -n "$rebase" ] && [ $status = 0 ] || exit $status

awk -v from="$work/steps" '
    function put(  line) { while ((getline line <(script ".out")) > 0) print "    " line }
    file { if (/^```$/) file = 0; print; next }
    /^```[a-z-]+ [+]?[a-z]/ { n++; file = 1; on = 0; print; next }
    more { print; more = /\\$/; next }
    /^    \$ / { n++; script = sprintf("%s/%03d.sh", from, n); more = /\\$/; on = 1; told = 0; print; next }
    on && /^    / { if (!told) put(); told = 1; next }
    { on = 0; print }' "$page" >"$work/page" && cp "$work/page" "$page"
