        .recipe "user-min3.recipe"
        .width 8
        .group g[4]
        .var in  x: u8 @g = r1
        .var in  y: u8 @g = r2
        .var out z: u8 @g = r3
        .var out u: u8 @g = r4
main:   COMPUTEG @g
        LI 20 z
        LI 3 u
        RECIPE MIN3 x y z else slow_z
        RECIPE MIN3 y y u else slow_u
        COMPUTE_DONE
        HALT
        .sub slow_z
        MIN x z z
        MIN y z z
        RETURN
        .endsub
        .sub slow_u
        MIN y u u
        RETURN
        .endsub
