        .size n
        .group g[n]
        .var in  x: i32 @g = r0
        .var out s: i32 = r1
        .var out t: i32[2] = r2
        .move a u32 r1 = x[0]
        .move b u32 r3 = x[n - 1]
        .sub unused
        NOP
        RETURN
        .endsub
main:   NOP
        .finish t[1] = max i32 @g r0
        .finish s = sum i32 @g r0
        GMOVE a
        GMOVE b
        .endfinish
        .finish t[0] = count bool @g r0
        NOP
        .endfinish
