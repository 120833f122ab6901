        .group  g[4]
        .value  k: bf16[3] = 1.5, bits(0x7f81), -inf
        .value  one: f64 = 1
        .var in  h: f16 @g = r0
        .var in  x: f32[2] @g = r1
        .var out y: f64 = r3
        .var     b: bf16 @g = r4
        .data    h = 0.1, -0, (1 + 2) * 1024, 65519.99999999999999999999
        .data    x = 1e-45, 3.4028235677973365e38, dup(2, 0.5), 16777217, -1.25E+2 // a comment
        .data    x = nan, bits(0xff800001)
        .data    y = 1e-3; another
        .data    b = 1.00390625, 1.01171875, .5, 5.
        .move    m f32 x[i, j] = x[i - 1, j] else -0.5
        COMPUTEG @g
        PRINT "x" x[0]
        COMPUTE_DONE
        HALT
