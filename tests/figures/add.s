// SPDX-License-Identifier: MIT
// One addition over all elements.
        .size   n
        .group  g[n]
        .var in x: u64 @g = r0
        .var in y: u64 @g = r1
        .global main
main:   COMPUTEG @g
        ADD     r0 r1 r2
        COMPUTE_DONE
        HALT
