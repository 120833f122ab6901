        .group g[4]
        .var in  x: i32 @g = r0
        .var out s: i32 = r1
        .var out t: i32[3] = r2
        .var inout u: i32 = r5
        .var out v: i32 = r6
        .endfinish
main:   NOP
        .finish s = sum i32 @g r0
        .finish s = min i32 @g r0
        .finish t[3] = sum i32 @g r0
        .finish t = sum i32 @g r0
        .finish t[2] = mean i32 @g r0
        .finish t[2] = max i32 r0
        .finish t[2] = max @g r0
        .finish x = max i32 @g r0
        .finish u = max i32 @g r0
        .finish w = max i32 @g r0
        .finish t[2] = argmin u5 @g r0
        NOP
        .finish t[1] = argmin u5 @g r0
        .endfinish
        .finish t[1] = argmin u5 @g r0
        .endfinish
        .finish v = any bool @g r0
        NOP
