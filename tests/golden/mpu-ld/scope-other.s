        .group g[4]
        .group h[200]
        .group i[3] like g
        .var in  x: u8 @h = r0
        .var in  a: u8 = r4 in g
        .var out b: u8 = r5 in i, g
        .var in  c: u8 = r6
        .move m  u8 r4 = x[199] in g
        .move n  u8 b = x[0]
        .move o  u8 r6 = x[1]
        .move p  u8 r5 = r6 in g
other:   GMOVE m
        GMOVE n
        GMOVE o
        GMOVE p
        HALT
