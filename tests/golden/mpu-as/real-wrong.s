        .group  g[1]
        .var    h: f16 @g = r0
        .var    x: bf16[2] = r1
        .var    i: i32 = r3
        .var    t: f8 = r4
        .var out s: f32 = r5
        .value  k: f16 = 1e400
        .value  m: f16 = 70000
        .data   h = 65520
        .data   x = bits(0x10000), 1
        .data   x = 1.5.2, 1
        .data   x = 1 + 0.5, 1
        .data   x = one, 1
        .data   x = "1", 1
        .data   i = 1.5
        ADDI.32 r0, r1, 2.5
        ADDI.32 r0, r1, 18446744073709551616
        .finish s = min f16 @g r0
        .endfinish
        .finish s = argmin f32 @g r0
        .endfinish
        .finish s = sum f32 @g r0
        .endfinish
