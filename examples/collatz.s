// Collatz steps of each element: a loop that every lane leaves on its own.  v halves when it is
// even and becomes 3v + 1 when it is odd, until it is 1; numbers below 2^32 are assumed to stay
// below 2^64 on the way.
        .size   n
        .group  g[n]
        .var in  x: u32 @g = r0
        .var out steps: u16 @g = r1
        .global main

        .width  64
main:   COMPUTEG @g
        ZEXT x 32 r2                // v = x
        INIT0.16 steps
        INIT1 r3                    // 1
        CMPGT r2 r3
        SETMASK cond                // lanes with v > 1
        JUMP_NONE done              // the loop has its test at the end
loop:   SHRI r2 1 r4                // v / 2
        ADD r2 r2 r5
        ADD r5 r2 r5
        ADD r5 r3 r5                // 3v + 1
        MOV.1 r2 r6                 // bit 0: is v odd?
        SEL r5 r4 r6                // the one or the other
        MOV r6 r2
        ADD.16 steps r3 steps
        CMPGT r2 r3
        SETMASK cond                // no lane comes back: C is new only where M is 1, and 0 elsewhere
        JUMP_COND loop
done:   UNMASK
        COMPUTE_DONE
        HALT
