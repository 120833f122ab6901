        .group  g[4, 3]
        .var in  x: i32 @ g = r0
        .var out y: i32 @ g = r1
        .value k: u8[3]
        .constant y[0] = N
        .constant x[1] = K
        .constant k[0] = K
        .constant x[0] = N
        .constant x[0] = M
        .constant z[0] = N
        .constant x[8] = N
        .constant x = N
        .constant x[1] K
        .constant x[1] = 3
