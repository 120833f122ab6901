// mram_read(r0, r1, r2): r2 bytes, a multiple of 8 and 2,048 or fewer at once, from r0 in MRAM to r1 in
// WRAM; mram_write(r0, r1, r2) from r0 in WRAM to r1 in MRAM.
        .text
        .macro  .L__mram_move name, wram, mram, how
        .globl  \name
        .type   \name, @function
\name:  jz      r2, .L__\name\()_end
.L__\name\()_part:
        move    r3, 2048
        jleu    r3, r2, .L__\name\()_most
        move    r3, r2
.L__\name\()_most:
        add     r4, r3, -8                      // bytes / 8 - 1 goes to bits 24 and up
        lsl     r4, r4, 21
        or      r4, r4, \wram
        \how    r4, \mram, 0
        add     r0, r0, r3
        add     r1, r1, r3
        sub     r2, r2, r3, nz, .L__\name\()_part
.L__\name\()_end:
        jump    r23
        .endm
        .L__mram_move mram_read, r1, r0, ldma
        .L__mram_move mram_write, r0, r1, sdma
        .globl  mram_read, mram_write
