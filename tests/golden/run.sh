#!/bin/sh
# SPDX-License-Identifier: MIT
# Golden tests of the tools; README.md beside this file says what a case is.
#   run.sh BIN [--rebase] [TOOL...]      BIN: the folder with the built tools
set -u
LC_ALL=C
export LC_ALL
unset NO_COLOR MPU_ENGINE MPU_CODE MPU_COMPOSE_AT
here=$(cd "$(dirname "$0")" && pwd)
bin=$(cd "$1" && pwd)
shift
rebase=
if [ "${1:-}" = --rebase ]; then
    rebase=1
    shift
fi
PATH=$bin:$PATH
EXAMPLES=$here/../../examples
export PATH EXAMPLES
# In memory where that is to be had: on a disk most of the time goes into making files.
work=$(mktemp -d -p /dev/shm 2>/dev/null || mktemp -d)
trap 'rm -rf "$work"' EXIT
# A solver that decides nothing, so that no output depends on which one is installed; and a cache of
# its own.
mkdir "$work/solver"
printf '#!/bin/sh\necho unknown\n' >"$work/solver/cvc5"
chmod +x "$work/solver/cvc5"
PATH=$work/solver:$PATH
XDG_CACHE_HOME=$work/cache
export XDG_CACHE_HOME
passed=0
failed=0

# inputs_of DIR: what the cases of a folder find there, without what belongs to single cases.
inputs_of() {
    rm -rf "$work/inputs"
    mkdir "$work/inputs"
    for file in "$1"/*; do
        case $file in
        *.cmd | *.out | *.err | *.code) ;;
        *) cp -r "$file" "$work/inputs" ;;
        esac
    done
}

# one_run DIR CASE INPUT STDIN: runs the case in a fresh copy of its folder's inputs.
one_run() {
    rm -rf "$work/d"
    cp -r "$work/inputs" "$work/d"
    ls "$work/d" >"$work/before"
    (
        cd "$work/d" || exit 99
        IN=$3
        export IN
        sh "$here/$1/$2.cmd" <"$4"
    ) >"$work/out" 2>"$work/err"
    code=$?
    echo "exit $code" >"$work/code"
    # Who fails leaves no file behind, half written or whole; what is there is shown.
    [ $code = 0 ] || ls "$work/d" | diff "$work/before" - | sed -n 's/^> /left /p' >>"$work/code"
    # A source read from a pipe is called <stdin>; everything else is the same.
    if [ "$3" = - ]; then
        sed "s|<stdin>|$5|g" "$work/err" >"$work/err2" && mv "$work/err2" "$work/err"
        sed "s|<stdin>|$5|g" "$work/out" >"$work/out2" && mv "$work/out2" "$work/out"
    fi
}

# compare DIR CASE VARIANT
compare() {
    bad=
    for kind in out err code; do
        want=$1/$2.$kind
        [ -e "$want" ] || {
            want=/dev/null
            [ "$kind" = code ] && echo "exit 0" >"$work/zero" && want=$work/zero
        }
        cmp -s "$want" "$work/$kind" || {
            bad=1
            echo "FAILED $1/$2 ($3): $kind differs (- expected, + got)"
            diff -u "$want" "$work/$kind" | tail -n +3
        }
    done
    if [ -n "$bad" ]; then failed=$((failed + 1)); else passed=$((passed + 1)); fi
}

store() {
    for kind in out err code; do
        if [ "$kind" = code ] && [ "$(cat "$work/code")" = "exit 0" ] || [ ! -s "$work/$kind" ]; then
            rm -f "$1/$2.$kind"
        else
            cp "$work/$kind" "$1/$2.$kind"
        fi
    done
}

cd "$here" || exit 99
[ $# -gt 0 ] || set -- */
for dir; do
    dir=${dir%/}
    inputs_of "$dir"
    for cmd in "$dir"/*.cmd; do
        name=${cmd##*/}
        name=${name%.cmd}
        input=$(sed -n 's/^# input: //p' "$cmd")
        one_run "$dir" "$name" "${input:-none}" /dev/null
        if [ -n "$rebase" ]; then store "$dir" "$name"; else compare "$dir" "$name" "file"; fi
        [ -n "$input" ] || continue
        grep -q '^# no pipe' "$cmd" && continue
        one_run "$dir" "$name" - "$here/$dir/$input" "$input"
        compare "$dir" "$name" "pipe"
    done
done
echo "golden: $passed passed, $failed failed"
[ "$failed" = 0 ]
