        .recipe "user-taken.recipe"
        .width 8
        .group g[4]
        .var in  x: u8 @g = r1
        .var in  y: u8 @g = r2
        .var out mean: u8 @g = r3
        .var out both: u8 @g = r4
        .var out more: u8 @g = r5
        .macro INC rs rd
        ISA_INC \rs \rd
        isa_inc \rd \rd
        .endm
        COMPUTEG @g
        ADD x y mean
        ISA_ADD.8 x y both
        INC x more
        COMPUTE_DONE
