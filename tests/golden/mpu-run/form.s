        .size   n
        .group  g[n]
        .var in  x: i64 @g = r0 as i6
        .var in  b: i32[2] @g = r1 as u7 first
        .var out z: u16[2] @g = r1 as u7 split
        .var out w: i64 @g = r0 as i6
main:   COMPUTEG @g
        INC.6   r0 r0
        COMPUTE_DONE
        HALT
