        .group g[4]
        .var in x: u32 @g = r8
        .var in y: u32 @g = r9
        .var out d: u32 @g = r10
        .signature gcd in r0: u32, r1: u32 out r2: u32 clobber r0, r1, r3
        .global main, gcd
main:   COMPUTEG @g
        MOV.32 r8 r0
        MOV.32 r9 r1
        JUMP gcd
        MOV.32 r2 r10
        COMPUTE_DONE
        HALT
