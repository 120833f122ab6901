#!/bin/sh
# SPDX-License-Identifier: MIT
# Lines of a program that are about the machine, of its host and of its DPUs' assembly: "HOST DPU".
#   count.sh FILE..
# A line counts that is neither blank nor a comment alone.  Of a host: from where a pipeline or DPUs are
# made to what executes it, or prints times of DPUs, both included, and functions that DPUs are handed to.
# Of .s all.
set -eu
awk '
    /^[ \t]*(\/\/.*)?$/ { next }
    FILENAME ~ /[.]s$/ { code++; next }
    /Pipeline(Full)? [A-Za-z_0-9]+\(|Dpus [a-z]+\(/ { part = 1 }
    /^[a-z].*\(.*Dpus &[^;]*$/ { whole = 1 }
    part || whole { host++ }
    /[.]execute\(\)|[.]print_times\(\)/ { part = 0 }
    /^}/ { whole = 0 }
    END { print host + 0, code + 0 }' "$@"
