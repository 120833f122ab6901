// Microbenchmark: streams of 64-bit numbers in WRAM, STREAM 0 copy, 1 add, 2 scale, 3 triad, of each
// tasklet 64 elements a lap, unrolled where nothing is called.
//   mpu-as --syntax=dpu -D NR_TASKLETS=16 -D STREAM=0 wram.s
        .set    STACK_SIZE, 256
        jump    __bootstrap
main:   sd      r22, 0, d22
        add     r22, r22, 8
        ld      d16, zero, scalar
        lsl     r20, id, 9
        add     r20, r20, a
        lw      r21, zero, laps
lap:
        .set    at, 0
        .if     STREAM == 0
        .rept   64
        ld      d0, r20, at
        sd      r20, at + c - a, d0
        .set    at, at + 8
        .endr
        .elif   STREAM == 1
        .rept   64
        ld      d0, r20, at
        ld      d2, r20, at + b - a
        add     r1, r1, r3
        addc    r0, r0, r2
        sd      r20, at + c - a, d0
        .set    at, at + 8
        .endr
        .else
        move    r19, 0
element:
        lsl_add r18, r20, r19, 3
        ld      d0, r18, 0
        movd    d2, d16
        call    r23, __muldi3
        .if     STREAM == 3
        ld      d2, r18, b - a
        add     r1, r1, r3
        addc    r0, r0, r2
        .endif
        sd      r18, c - a, d0
        add     r19, r19, 1
        jneq    r19, 64, element
        .endif
        add     r21, r21, -1, nz, lap
        add     r22, r22, -8
        ld      d22, r22, 0
        jump    r23

        .data
        .balign 8
scalar: .quad   0
laps:   .word   0
        .bss
        .balign 8
a:      .space  512 * 16
b:      .space  512 * 16
c:      .space  512 * 16
