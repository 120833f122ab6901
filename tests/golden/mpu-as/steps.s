        .size  n = 10
        .size  m
        .equ   K, 3
        .group g[n, 4]
        .group h[20]
        .var   x: u8 @h = r1
        .var   y: u8[4] @g = r8
        .move  n u8 x[0 * i] = x[i]
        .move  o u8 y[i, j + i, k] = y[i, j, k]
        .move  p u8 x[3: 0 .. 2] = x[0]
        .move  q u8 x[i * j] = x[0]
        .move  r u8 x[lap(4)] = x[0]
        .move  s u8 x[lap * lap] = x[0]
        .move  t u8 x[2 * i + lap(] = x[0]
        .move  u u8 x[2 * i + 1: 0 .. i] = x[0]
        .move  v u8 x[m * i + 2] = x[0]
        .move  w u8 x[lap: 0 .. 4] = x[0]
        .move  a u8 x[1099511627777 * i] = x[0]
        .move  b u8 x[n + m + i] = x[0]
