        .size n
        .size m = 2
        .group g[n]
        .var in  x: i64 @g = r0 as u6
        .var out y: i16[2] @g = r1 as i9 shape[n, m]
        .data x = 1, 2, 3
main:   HALT
