// perfcounter_config(r0, r1): counts cycles (r0 1), instructions (2), nothing (3), or what it did (0), from
// 0 on if r1 is not 0.  perfcounter_get(): the count in d0, a multiple of 16.
        .text
        .globl  perfcounter_config
        .type   perfcounter_config, @function
perfcounter_config:
        lsl     r0, r0, 1
        jz      r1, .L__perfcounter_on
        or      r0, r0, 1
.L__perfcounter_on:
        time_cfg zero, r0
        jump    r23
        .globl  perfcounter_get
        .type   perfcounter_get, @function
perfcounter_get:
        time    r1
        lsr     r0, r1, 28
        lsl     r1, r1, 4
        jump    r23
