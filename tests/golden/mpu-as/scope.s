        .group g[4]
        .group h[6]
        .group i[4] like g
        .var in  a: i32 = r0 in h, g, h
        .var in  b: i32[2] = r1 as u6 shape[2, 1] in i
        .var in  c: i32 @g = r1 in h
        .var in  d: i32 = r1 in k
        .var in  e: i32 = r1 in
        .var in  f: i32 @g = r1
        .move m  u32 r5 = f[3] in h
        .move n  u32 a = f[3]
        .move o  u32 f[x] = r5 in h
        .move p  u32 r5 = f[3] else 4 in g h
