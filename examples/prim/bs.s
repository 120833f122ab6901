// BS: where each of `count` numbers stands among `n` sorted ones, or -1; of equal ones the last place.
// All are i64: the sorted ones at the beginning of MRAM, the others `queries` bytes behind it, and places
// go to `places` bytes behind it.  The first numbers of blocks lead to the block that is searched.
        .ifndef NR_TASKLETS
        .set    NR_TASKLETS, 16
        .endif
        .set    LOG_BLOCK, 8                    // of bytes
        .set    BLOCK, 1 << LOG_BLOCK
        .globl  __sys_used_mram_end, n, count, queries, places
        .mram
__sys_used_mram_end:

        .text
        jump    __bootstrap
main:   lsl     r14, id, LOG_BLOCK
        add     r14, r14, blocks
        lsl     r15, id, 7
        add     r15, r15, sought                // 16 queries, which become places
        lw      r9, zero, n
        lsl     r9, r9, 3                       // in bytes
        lsl     r20, id, 4
some:   lw      r0, zero, count
        jgeu    r20, r0, back
        sub     r12, r0, r20
        jleu    r12, 16, few
        move    r12, 16
few:    lsl     r10, r12, 3
        add     r13, r10, -8
        lsl     r13, r13, 21
        or      r13, r13, r15                   // how they are moved: length and WRAM
        add     r10, r15, r10                   // their end
        lsl     r11, r20, 3
        lw      r1, zero, queries
        add     r1, r1, r11
        add     r1, r1, __sys_used_mram_end
        ldma    r13, r1, 0
        move    r21, r15
query:  ld      d16, r21, 0
        move    r18, 0                          // the block is one of r18 .. r19 - 1
        add     r19, r9, BLOCK - 1
        lsr     r19, r19, LOG_BLOCK
halve:  sub     r0, r19, r18
        jleu    r0, 1, search
        add     r5, r18, r19
        lsr     r5, r5, 1
        lsl     r1, r5, LOG_BLOCK
        add     r1, r1, __sys_used_mram_end
        ldma    r14, r1, 0
        ld      d0, r14, 0
        sub     r2, r17, r1
        subc    r2, r16, r0, lts, before
        move    r18, r5
        jump    halve
before: move    r19, r5
        jump    halve
search: lsl     r6, r18, LOG_BLOCK
        sub     r7, r9, r6
        jleu    r7, BLOCK, last
        move    r7, BLOCK
last:   add     r1, r6, __sys_used_mram_end
        add     r4, r7, -8
        lsl     r4, r4, 21
        or      r4, r4, r14
        ldma    r4, r1, 0
        move    r18, r14                        // it is one of r18 .. r19 - 8, in WRAM
        add     r19, r14, r7
half:   sub     r0, r19, r18
        jleu    r0, 8, there
        add     r5, r18, r19
        lsr     r5, r5, 1
        and     r5, r5, -8
        ld      d0, r5, 0
        sub     r2, r17, r1
        subc    r2, r16, r0, lts, less
        move    r18, r5
        jump    half
less:   move    r19, r5
        jump    half
there:  ld      d0, r18, 0
        move    r2, -1
        move    r3, -1
        jneq    r0, r16, place
        jneq    r1, r17, place
        sub     r3, r18, r14
        add     r3, r3, r6
        lsr     r3, r3, 3
        move    r2, 0
place:  sd      r21, 0, d2
        add     r21, r21, 8
        jltu    r21, r10, query
        lw      r1, zero, places
        add     r1, r1, r11
        add     r1, r1, __sys_used_mram_end
        sdma    r13, r1, 0
        add     r20, r20, 16 * NR_TASKLETS
        jump    some
back:   jump    r23

        .section .data.__sys_host
        .irp    name, n, count, queries, places
\name:  .word   0
        .size   \name, 4
        .endr
        .bss
        .balign 8
blocks: .space  BLOCK * NR_TASKLETS
sought: .space  128 * NR_TASKLETS
