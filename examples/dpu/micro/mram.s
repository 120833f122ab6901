// Microbenchmark: transfers of BYTES between MRAM and WRAM.
//   mpu-as --syntax=dpu -D NR_TASKLETS=16 -D ACCESS=2 -D BYTES=1024 -D STRIDE=1024 mram.s
// ACCESS: 0 read, 1 write, 2 copy (read and write), 3 update (read 8 bytes, change them, write them) at
// random; 4 and 5 are 0 and 1 sixteen times a lap, for latencies.  STRIDE bytes are between one transfer
// of a tasklet and its next.
        .set    STACK_SIZE, 64
        jump    __bootstrap
main:   lsl     r20, id, 11
        add     r20, r20, buffers
        move    r0, (BYTES / 8 - 1) << 24       // the length goes to bits 24 and up
        or      r20, r20, r0
        move    r19, 0x08000000
        lsl     r0, id, 20
        add     r19, r19, r0
        lw      r21, zero, laps
        move    r18, 0x2545f491
        xor     r18, r18, r19
lap:
        .if     ACCESS == 3
        lsl     r0, r18, 13                     // xorshift
        xor     r18, r18, r0
        lsr     r0, r18, 17
        xor     r18, r18, r0
        lsl     r0, r18, 5
        xor     r18, r18, r0
        lsr     r19, r18, 9                     // of 8 MB
        and     r19, r19, -8
        add     r19, r19, 0x08000000
        ldma    r20, r19, 0
        extuh   r1, r20
        lw      r2, r1, 0
        xor     r2, r2, r18
        sw      r1, 0, r2
        sdma    r20, r19, 0
        .elif   ACCESS > 3
        .rept   16
        .if     ACCESS == 4
        ldma    r20, r19, 0
        .else
        sdma    r20, r19, 0
        .endif
        nop                                     // until the engine is free
        nop
        nop
        nop
        .endr
        .else
        .if     ACCESS != 1
        ldma    r20, r19, 0
        .endif
        .if     ACCESS
        sdma    r20, r19, 0
        .endif
        add     r19, r19, STRIDE
        .endif
        add     r21, r21, -1, nz, lap
        jump    r23

        .data
laps:   .word   0
        .bss
        .balign 8
buffers: .space 2048 * 24
