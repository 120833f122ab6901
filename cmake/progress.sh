#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs a command that builds (ninja, make, or cmake --build) behind one line of progress, and ends
# as the command does.  On a terminal the line is rewritten in place; elsewhere one is written at
# each quarter.  Whatever is no step of the build, as the output of a step that failed, is shown in full.
#   progress.sh COMMAND [ARGUMENT ...]
set -u
columns=76
terminal=
[ -t 1 ] && terminal=1

# The rest of the line is blanked, for the line before may have been longer.
rewrite() { printf '\r%-*.*s' $columns $columns "$1"; }

# quarter PERCENT: a line for each of 25, 50, 75 and 100 that is reached.
quarter() {
    [ "$1" -ge "$next" ] || return 0
    printf 'building: %3d %%\n' "$1"
    next=$(($1 / 25 * 25 + 25))
}

# step PERCENT TEXT: the last word of TEXT is what is made, somewhere below CMakeFiles/NAME.dir/.
step() {
    what=${2##* }
    case $what in
    */CMakeFiles/*.dir/*) what=${what%%/CMakeFiles/*}/${what#*.dir/} ;;
    esac
    if [ -n "$terminal" ]; then
        rewrite "building: $(printf '%3d' "$1") %  ${what%.o}"
        shown=1
    else
        quarter "$1"
    fi
}

# Anything else, on a line of its own.
aside() {
    if [ -n "$shown" ]; then
        rewrite ''
        printf '\r'
        shown=
    fi
    printf '%s\n' "$1"
}

show() {
    next=25
    shown=
    while IFS= read -r line; do
        case $line in
        '['*'] Re-'*) ;; # ninja and cmake look what is to be done
        \[[0-9]*/[0-9]*\]\ *)
            at=${line#?}
            of=${at#*/}
            step $((${at%%/*} * 100 / ${of%%]*})) "${line#*] }"
            ;;
        \[\ *[0-9]%\]\ * | \[[0-9]*%\]\ *)
            at=${line#?}
            at=${at%%%*}
            step $((${at##* })) "${line#*] }"
            ;;
        '' | '-- '* | 'ninja: Entering'* | 'ninja: no work'* | 'Consolidate '* | 'Scanning '*) ;;
        *) aside "$line" ;;
        esac
    done
    [ -z "$shown" ] || printf '\n'
}

# The status of the command, not that of the loop: it comes by way of descriptor 3.
status=$({ { "$@" 2>&1 3>&- 4>&-; echo $? >&3; } | show >&4; } 3>&1) 4>&1
exit "${status:-1}"
