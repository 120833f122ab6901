        .size  n = 10
        .size  m
        .equ   K, 3
        .group g[n, 4]
        .group h[20]
        .var   x: u8 @h = r1
        .var   y: u8[4] @g = r8
        .move  a u8 x[i] = x[i, 0]
        .move  b u8 x[i] = z[i]
        .move  c u8 x[i] = x[i * i]
        .move  d u8 x[i] = x[(i + m) / 2]
        .move  e u8 x[i] = x[j + K]
        .move  f u8 y[i, j, k: 0 .. i] = y[j, i, k]
        .move  g u8 x[i] = x[i << 1]
        .move  h u8 x[i] = x[i + 1099511627777]
        .move  i u8 x[i] = x[i] else 300
        .move  j u8 x[i] = x[i] around
        .move  k u9 @h r63 .. r60[i, k] = x[i]
        .move  k u9 @h r3[i = x[i]
        .move  l u8 x[i] = x[i - 1]
        .move  l u8 x[i] = x[i - 2]
        .move  m = x
        .move
