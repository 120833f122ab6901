#!/bin/sh
# SPDX-License-Identifier: MIT
# Lines of each of the sixteen workloads, for a table of docs/prim.md: "NAME HOST DPU".
# A line counts that is neither blank nor a comment alone.  HOST: from where the Pipeline or the Dpus are
# declared to execute() or print_times(), both included, and functions that the Dpus are handed to.  DPU:
# all of the assembly.
#   lines.sh EXAMPLES
set -eu
host() {
    awk '
        /^[ \t]*(\/\/.*)?$/ { next }
        /(Pipeline|PipelineFull) p\(|Dpus dpus\(/ { part = 1 }
        /^[a-z].*\(.*Dpus &[^;]*$/ { whole = 1 }
        part || whole { n++ }
        /p\.execute\(\)|print_times\(\)/ { part = 0 }
        /^}/ { whole = 0 }
        END { print n + 0 }' "$@"
}
code() {
    awk '/^[ \t]*(\/\/.*)?$/ { next } { n++ } END { print n + 0 }' "$@"
}
for name in va sel uni red gemv hst; do
    echo "$name $(host "$1/dappa/$name.cc") 0"
done
for name in mlp spmv ts; do
    echo "$name $(host "$1/prim/$name.cc") 0"
done
for name in hst-l bs trns nw bfs; do
    echo "$name $(host "$1/prim/$name.cc") $(code "$1/prim/$name.s")"
done
for name in scan-ssa scan-rss; do
    echo "$name $(host "$1/prim/$name.cc" "$1/prim/scan.h") $(code "$1/prim/scan.s")"
done
