        .global main, scale
        .size n
        .group g[n]
        .var in x: u16 @g = r1
        .var out y: u16 @g = r2
main:   COMPUTEG @g
        JUMP scale
        COMPUTE_DONE
        HALT
