        .size   n
        .group  g[n]
        .var in  x: u8 @g = r0
        .var out y: u8[2] @g = r1
        .var in  count: u16 = r3
        .length  y = count
main:   COMPUTEG @g
        INC.8   r0 r1
        MOV.8   r0 r2
        COMPUTE_DONE
        HALT
