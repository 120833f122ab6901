        .size h
        .size w
        .group g[h, w]
        .var out y: u16 @g = r0
        .var out x: u16 @g = r1
        .var out z: u16 @g = r2
        .global main
main:   COMPUTEG @g
        INDEX.16 r0 every w
        INDEX.16 r1, every 1 below w
        INDEX.16 r2 every 2 * w below h - 2
        COMPUTE_DONE
        HALT
