        .size  n = 10
        .group g[n, 4]
        .group h[20]
        .group like_h[20] like h
        .group short[10] like h
        .group other[20]
        .var   x: u8 @h = r1
        .var   y: u8 @h = r2
        .var   k: u16 @h = r3
        .var   s: i16 @like_h = r4
        .var   w: u16 @short = r5
        .var   v: u16 @other = r6
        .var   b: bool @h = r7
        .var   c: u8[4] @h = r8
        .var   d: u8[3] @h = r12
        .var   z: u8 @g = r15
        .var   kz: u8 @g = r16
        .var   alone: u8 = r17
        .move  o u8 y[i] = x[k[i] + 1]
        .move  p u8 y[i] = x[2 * k[i]]
        .move  q u8 y[i] = x[i] clip
        .move  r u8 x[k[i]] = y[i] else 3
        .move  s u8 x[k[j]] = y[i]
        .move  t u8 x[k[i]] = y[i + 1]
        .move  u u8 x[k[i] = y[i]
        .move  v u8 alone = x[k[3]]
        .move  w u8 y[k[i]] = x[k[i]]
        .move  x u8 y[i] = x[alone[i]]
