// Readers of MRAM from one byte to the next, by pieces of SEQREAD_CACHE_SIZE bytes (256; 32, 64 .. 1,024):
// what a pointer points to, and so many bytes behind it, are in WRAM.
//   seqread_alloc(): room for two pieces in r0, from mem_alloc's heap (fault 1 if there is no more).
//   seqread_init(r0, r1, r2): reader r2 (8 bytes) has that room, and begins at r1 in MRAM; the pointer in r0.
//   seqread_get(r0, r1, r2): the pointer r1 bytes further on; less than a piece.
//   seqread_seek(r0, r1): reader r1 goes on at r0 in MRAM; the pointer in r0.
//   seqread_tell(r0, r1): where in MRAM that is which pointer r0 of reader r1 points to.
// A reader has the address of its room, and the one in MRAM of what is in it, a multiple of a piece.
        .ifndef SEQREAD_CACHE_SIZE
        .set    SEQREAD_CACHE_SIZE, 256
        .endif
        .text
        .globl  seqread_alloc
        .type   seqread_alloc, @function
seqread_alloc:
        acquire zero, __heap_bit, nz, .
        lw      r0, zero, __heap_at
        jnz     r0, .L__seqread_room
        move    r0, __sys_heap_begin
.L__seqread_room:
        add     r0, r0, SEQREAD_CACHE_SIZE - 1
        and     r0, r0, -SEQREAD_CACHE_SIZE
        add     r1, r0, 2 * SEQREAD_CACHE_SIZE
        move    r2, 65536
        jgtu    r1, r2, .L__seqread_full
        sw      zero, __heap_at, r1
        release zero, __heap_bit, nz, . + 1
        jump    r23
.L__seqread_full:
        fault   1
        jump    .L__seqread_full

        .globl  seqread_init
        .type   seqread_init, @function
seqread_init:
        sw      r2, 0, r0
        move    r0, r1
        move    r1, r2
        jump    .L__seqread_bring

        .globl  seqread_seek
        .type   seqread_seek, @function
seqread_seek:
        lw      r2, r1, 4
        sub     r2, r0, r2
        move    r3, SEQREAD_CACHE_SIZE
        jgeu    r2, r3, .L__seqread_bring
        lw      r0, r1, 0
        add     r0, r0, r2
        jump    r23
.L__seqread_bring:                              // for reader r1, from r0 on
        and     r2, r0, -SEQREAD_CACHE_SIZE
        sub     r0, r0, r2
        sw      r1, 4, r2
        lw      r1, r1, 0
        add     r0, r0, r1
        jump    .L__seqread_fill

        .globl  seqread_get
        .type   seqread_get, @function
seqread_get:
        .if     SEQREAD_CACHE_SIZE == 32
        add     r0, r0, r1, nc5, .L__seqread_same
        .elif   SEQREAD_CACHE_SIZE == 64
        add     r0, r0, r1, nc6, .L__seqread_same
        .elif   SEQREAD_CACHE_SIZE == 128
        add     r0, r0, r1, nc7, .L__seqread_same
        .elif   SEQREAD_CACHE_SIZE == 256
        add     r0, r0, r1, nc8, .L__seqread_same
        .elif   SEQREAD_CACHE_SIZE == 512
        add     r0, r0, r1, nc9, .L__seqread_same
        .elif   SEQREAD_CACHE_SIZE == 1024
        add     r0, r0, r1, nc10, .L__seqread_same
        .else
        add     r0, r0, r1, SEQREAD_CACHE_SIZE_is_32_to_1024
        .endif
        add     r0, r0, -SEQREAD_CACHE_SIZE
        lw      r1, r2, 0
        lw      r3, r2, 4
        add     r3, r3, SEQREAD_CACHE_SIZE
        sw      r2, 4, r3
        move    r2, r3
.L__seqread_fill:                               // r1 in WRAM from r2 in MRAM, whose last piece is one alone
        and     r3, r2, 0x3ffffff
        move    r4, 0x4000000 - SEQREAD_CACHE_SIZE
        jeq     r3, r4, .L__seqread_last
        ldma    r1, r2, SEQREAD_CACHE_SIZE / 4 - 1
.L__seqread_same:
        jump    r23
.L__seqread_last:
        ldma    r1, r2, SEQREAD_CACHE_SIZE / 8 - 1
        jump    r23

        .globl  seqread_tell
        .type   seqread_tell, @function
seqread_tell:
        lw      r2, r1, 0
        lw      r1, r1, 4
        sub     r0, r0, r2
        add     r0, r0, r1
        jump    r23
