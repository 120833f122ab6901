// Cosine and sine of an angle by CORDIC, 30 bits behind the point, as examples/cordic.ez.
        .size   n
        .group  g[n]
        .var in  turn: i32 @g = r0
        .var out across: i32 @g = r1
        .var out up: i32 @g = r2
        .global main
// r3 is what is left of the angle, r4 all ones where it is negative, r7 atan(2^-j).

        .width  32
        .macro  number value, reg       // the pieces that LI's sign does not give
        LI      (\value & 0xFFF ^ 0x800) - 0x800 \reg
        .if     (\value >> 12 & 0xFFF) != (\value & 0x800 ? 0xFFF : 0)
        LIK1    \value >> 12 & 0xFFF \reg
        .endif
        .if     \value >> 24 != (\value & 0x800 ? 0xFF : 0)
        LIK2    \value >> 24 \reg
        .endif
        .endm

        .macro  step j
        SARI    r3 31 r4
        SARI    up \j r5
        SARI    across \j r6
        XOR     r5 r4 r5
        XOR     r6 r4 r6
        SUB     across r5 across
        ADD     up r6 up
        .endm

        .macro  rest                    // takes what was turned from the angle
        XOR     r7 r4 r4
        SUB     r3 r4 r3
        .endm

main:   COMPUTEG @g
        number  652032874, across
        SARI    turn 31 r4
        XOR     across r4 up
        SUB     across r4 across
        number  843314857, r7
        XOR     r7 r4 r4
        SUB     turn r4 r3
        .macro  table j, value
        step    \j
        number  \value, r7
        rest
        .endm
        table   1, 497837829
        table   2, 263043837
        table   3, 133525159
        table   4, 67021687
        table   5, 33543516
        table   6, 16775851
        table   7, 8388437
        table   8, 4194283
        table   9, 2097149
        table   10, 1048576
        .set    j, 11
        .rept   10                      // from here on half of the one before
        step    j
        SHRI    r7 1 r7
        rest
        .set    j, j + 1
        .endr
        step    21
        COMPUTE_DONE
        HALT
