        .width 8
        .group g[100]
        .var in  x: u8 @g = r1
        .var in  y: u8 @g = r2
        .var out z: u8 @g = r3
        COMPUTEG @g
        USER_C0 x y z
        COMPUTE_DONE
