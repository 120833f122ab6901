        .size   n
        .group  g[n]
        .group  h[n, 4]
        .var in  x: u8 @g = r0
        .var out y: u8 @g = r1
        .var out z: u8 @h = r1
        .var     count: u16 = r2
        .var     less: i16 = r3
        .length  y = count
        .length  y = count
        .length  z = count
        .length  x = less
        .length  count = count
        .length  y = cuont
        HALT
