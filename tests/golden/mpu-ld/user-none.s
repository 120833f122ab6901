        .recipe "user-min3.recipe"
        .width 8
        .group g[4]
        .var in  x: u8 @g = r1
        .var out z: u8 @g = r3
        COMPUTEG @g
        MIN3 x x z
        RECIPE MIN3 x x z
        COMPUTE_DONE
