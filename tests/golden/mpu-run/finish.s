        .size n
        .group g[n]
        .var in  x: i32 @g = r0
        .var out s: i64 = r1 as i36
        .var out t: u32[2] = r2
        .move a u36 r1 = @g r4[0]
        .move b u32 r3 = @g r4[0]
main:   NOP
        .finish t[1] = count i32 @g r0
        .finish s = sum i32 @g r0
        COMPUTEG @g
        MUL.36  r0 r0 r4
        COMPUTE_DONE
        GMOVE a
        GMOVE b
        .endfinish
