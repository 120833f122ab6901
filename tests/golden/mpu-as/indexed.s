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
        .move  fine u8 y[i] = x[k[i]] clip
        .move  like u8 y[i] = x[s[i]] wrap
        .move  back u8 x[k[i]] = y[i: 2 .. n]
        .move  a u8 y[i] = x[k[i + 1]]
        .move  b u8 y[i] = x[k[3]]
        .move  c u8 y[i] = x[w[i]]
        .move  d u8 y[i] = x[v[i]]
        .move  e u8 y[i] = x[b[i]]
        .move  f u8 y[i] = x[@h r3[i]]
        .move  g u8 y[i] = x[@h r3: f16[i]]
        .move  h u8 z[i, j] = z[kz[i, j], kz[i, j]]
        .move  i u8 z[i, j] = z[kz[j, i], j]
        .move  j u8 z[i, j] = z[kz[i], j]
        .move  k u8 c[i, p] = c[k[i], d[i, p]]
        .move  l u8 c[i, p] = x[d[i, p]]
        .move  m u8 c[i, p] = x[d[i, 3]]
        .move  n u8 c[i, p] = x[d[i, 2 * p]]
