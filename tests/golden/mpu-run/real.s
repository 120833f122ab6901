// Elements of floating point go in and out, and are shown as numbers.
        .size    n
        .group   g[n]
        .var in  x: f32 @g = r0
        .var out y: f32 @g = r1
        .var in  b: bf16 @g = r2
        .var out c: bf16 @g = r3
        .var in  h: f16[2] @g = r4
        .var out p: f16[2] @g = r6
        .var in  d: f64 @g = r8
        .var out e: f64 @g = r9
        .value   k: f32[2] = 0.5, -2
        .var     w: f32 @g = r10
        COMPUTEG @g
        MOV.32 x, y
        MOV.16 b, c
        MOV.16 h[0], p[0]
        MOV.16 h[1], p[1]
        MOV.64 d, e
        LI.32  value(k[1]), w
        LIK1.32 value(k[1]), w
        LIK2.32 value(k[1]), w
        PRINT "w" w
        PRINT "c" c
        CMPEQ.32 x, w
        .show "x" r0: f32
        .show "w" r10: f32
        ASSERT "x is not -2"
        COMPUTE_DONE
        HALT
