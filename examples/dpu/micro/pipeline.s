// Microbenchmark: a loop on registers alone, of 64 instructions.
//   mpu-as --syntax=dpu -D NR_TASKLETS=11 pipeline.s
        .set    STACK_SIZE, 8
        jump    __bootstrap
main:   lw      r21, zero, laps
lap:    .rept   63
        add     r0, r0, 1
        .endr
        add     r21, r21, -1, nz, lap
        jump    r23
        .data
laps:   .word   0
