// BFS: of nodes `first` .. `first` + `nodes` - 1, multiples of 32, those in the bitmap `frontier` put their
// neighbours that are not in `visited` into `next`.  A bitmap has `bytes` bytes.  MRAM has, for each node of
// this DPU and for their end, where its neighbours begin, and `neighbours` bytes behind these their numbers.
        .ifndef NR_TASKLETS
        .set    NR_TASKLETS, 16
        .endif
        .set    MOST_NODES, 98304
        .globl  __sys_used_mram_end, first, nodes, bytes, neighbours, most_nodes
        .globl  frontier, visited, next
        .mram
__sys_used_mram_end:

        .text
        jump    __bootstrap
main:   sd      r22, 0, d22                     // r23, which says where to go back to
        add     r22, r22, 8
        lsl     r14, id, 4
        add     r14, r14, pointers
        lsl     r15, id, 7
        add     r15, r15, numbers
        lw      r0, zero, bytes
        move    r2, id8
        move    r4, 0
        move    r5, 0
clear:  jgeu    r2, r0, cleared
        sd      r2, next, d4
        add     r2, r2, 8 * NR_TASKLETS
        jump    clear
cleared: move   r0, meet
        call    r23, barrier_wait
        move    r21, id                         // tasklets take words of 32 nodes in turn
word:   lw      r0, zero, nodes
        lsr     r0, r0, 5
        jgeu    r21, r0, back
        lw      r1, zero, first
        lsr     r1, r1, 5
        add     r1, r1, r21
        lsl     r1, r1, 2
        lw      r20, r1, frontier
node:   jz      r20, worked
        clz     r0, r20
        sub     r1, 31, r0
        move    r2, 1
        lsl     r2, r2, r1
        xor     r20, r20, r2
        lsl     r3, r21, 5
        add     r3, r3, r1
        lsl     r3, r3, 2
        and     r4, r3, -8
        add     r4, r4, __sys_used_mram_end
        ldma    r14, r4, 1                      // two words of these 16 bytes
        and     r5, r3, 4
        add     r5, r5, r14
        lw      r18, r5, 0
        lw      r19, r5, 4
        lsl     r18, r18, 2
        lsl     r19, r19, 2
some:   jgeu    r18, r19, node
        and     r6, r18, -8
        lw      r0, zero, neighbours
        add     r0, r0, r6
        add     r0, r0, __sys_used_mram_end
        ldma    r15, r0, 15                     // 128 bytes of its neighbours
        sub     r7, r18, r6
        add     r7, r7, r15
        add     r8, r6, 128
        jleu    r8, r19, whole
        move    r8, r19
whole:  sub     r9, r8, r18
        add     r9, r9, r7
        move    r18, r8
each:   lw      r0, r7, 0
        lsr     r1, r0, 5
        move    r2, 1
        lsl     r2, r2, r0                      // by its lowest 5 bits
        and     r4, r1, 15
        lsl     r1, r1, 2
        lw      r3, r1, visited
        and     r3, r3, r2, nz, seen
        acquire r4, locks, nz, .                // of every 16th word
        lw      r3, r1, next
        or      r3, r3, r2
        sw      r1, next, r3
        release r4, locks, nz, . + 1
seen:   add     r7, r7, 4
        jltu    r7, r9, each
        jump    some
worked: add     r21, r21, NR_TASKLETS
        jump    word
back:   add     r22, r22, -8
        ld      d22, r22, 0
        jump    r23

        .section .data.__sys_host
        .irp    name, first, nodes, bytes, neighbours
\name:  .word   0
        .size   \name, 4
        .endr
most_nodes: .word MOST_NODES
        .size   most_nodes, 4
        .data
meet:   .byte   255, NR_TASKLETS, NR_TASKLETS, meeting
        .bss
        .balign 8
        .irp    name, frontier, visited, next
\name:  .space  MOST_NODES / 8
        .size   \name, MOST_NODES / 8
        .endr
pointers: .space 16 * NR_TASKLETS
numbers: .space 128 * NR_TASKLETS
        .section .atomic
meeting: .space 1
locks:  .space  16
