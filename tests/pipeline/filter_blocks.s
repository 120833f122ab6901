// SEL of 32 bits on a DPU as docs/dappa-figures.md has it, for each of 11 tasklets 24 blocks of 1,024
// bytes: what is odd goes to MRAM behind each block of the input (FULL 0), or when a block of the output is
// full, which is asked behind each element (1) or behind 8 of them (2).
        .set    NR_TASKLETS, 11
        .set    BLOCK, 1024
        .set    OUTPUT, 0x800000
        .text
main:   jeq     id, NR_TASKLETS - 1, work
        boot    id, 1
work:   move    r7, id
        lsl     r0, r7, 13                      // 24 blocks of each tasklet: 24,576 bytes
        lsl_add r0, r0, r7, 14
        add     r1, r0, OUTPUT
        lsl     r3, r7, 12
        add     r3, r3, buffers
        add     r4, r3, BLOCK                   // what is kept, and where the next goes
        move    r5, r4
        add     r6, r4, BLOCK
        move    r2, 24
block:  ldma    r3, r0, 127
        add     r0, r0, BLOCK
        move    r9, r3
        add     r10, r3, BLOCK
lap:
        .irp    k, 0, 4, 8, 12, 16, 20, 24, 28
        lw      r11, r9, \k
        and     r12, r11, 1
        sw      r5, 0, r11
        lsl_add r5, r5, r12, 2
        .if     FULL == 1
        jltu    r5, r6, .Lon\k
        call    r23, flush
.Lon\k:
        .endif
        .endr
        .if     FULL == 2
        jltu    r5, r6, .Lon
        call    r23, flush
.Lon:
        .endif
        add     r9, r9, 32
        jltu    r9, r10, lap
        .if     FULL == 0
        sub     r12, r5, r4
        and     r13, r12, -8
        jz      r13, .Lnone
        lsr     r14, r13, 3
        add     r14, r14, -1
        lsl_add r14, r4, r14, 24
        sdma    r14, r1, 0
        add     r1, r1, r13
        add     r14, r4, r13
        ld      d16, r14, 0                     // what is left of 8 bytes, to the front
        sd      r4, 0, d16
        sub     r5, r5, r13
.Lnone:
        .endif
        add     r2, r2, -1, nz, block
        sub     r12, r5, r4
        add     r12, r12, 7
        lsr     r14, r12, 3
        jz      r14, end
        add     r14, r14, -1
        lsl_add r14, r4, r14, 24
        sdma    r14, r1, 0
end:    stop    true, end

flush:  sdma    r4, r1, 127
        add     r1, r1, BLOCK
        .irp    k, 0, 8, 16, 24
        ld      d16, r6, \k
        sd      r4, \k, d16
        .endr
        add     r5, r5, -BLOCK
        jump    r23

        .bss
        .balign 8
buffers: .space 4096 * NR_TASKLETS
