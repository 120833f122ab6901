// Of `size` numbers of i64 at the beginning of MRAM, as `kernel` says:
//   0  their sum, to `total`
//   1  each becomes `base` and the sum of all up to it; `total`: the last one
//   2  `base` is added to each
// Tasklets take blocks in turn; in kernel 1 each hands what it came to on to the next one.
        .ifndef NR_TASKLETS
        .set    NR_TASKLETS, 16
        .endif
        .set    LOG_BLOCK, 10                   // of bytes
        .set    BLOCK, 1 << LOG_BLOCK
        .globl  __sys_used_mram_end, size, kernel, base, total
        .mram
__sys_used_mram_end:

        .text
        jump    __bootstrap
main:   sd      r22, 0, d22                     // r23, which says where to go back to
        add     r22, r22, 8
        lsl     r18, id, LOG_BLOCK              // of the block at hand, in MRAM
        add     r15, r18, buffers
        move    r16, 0                          // d16: the sum
        move    r17, 0
        lw      r0, zero, kernel
        jeq     r0, 1, scan
        jeq     r0, 2, add

reduce: call    r21, load
        jz      r14, reduced
        move    r2, r15
each:   ld      d0, r2, 0
        add     r17, r17, r1
        addc    r16, r16, r0
        add     r2, r2, 8
        jltu    r2, r14, each
        add     r18, r18, NR_TASKLETS * BLOCK
        jump    reduce
reduced: sd     id8, sums, d16
        move    r0, meet
        call    r23, barrier_wait
        jnz     id, back
        move    r3, 8
all:    jgeu    r3, 8 * NR_TASKLETS, result
        ld      d0, r3, sums
        add     r17, r17, r1
        addc    r16, r16, r0
        add     r3, r3, 8
        jump    all
result: sd      zero, total, d16
        jump    back

scan:   jnz     id, begun
        ld      d0, zero, base
        sd      zero, sums, d0
begun:  move    r19, 0                          // the first block of all tasklets' turn
turn:   lw      r0, zero, size
        lsl     r0, r0, 3
        jgeu    r19, r0, scanned
        lsl     r18, id, LOG_BLOCK
        add     r18, r18, r19
        call    r21, load
        move    r16, 0
        move    r17, 0
        move    r2, r15
elem:   jgeu    r2, r14, summed
        ld      d0, r2, 0
        add     r17, r17, r1
        addc    r16, r16, r0
        sd      r2, 0, d16
        add     r2, r2, 8
        jump    elem
summed: jz      id, known
        add     r0, id, -1
        call    r23, handshake_wait_for
known:  ld      d20, id8, sums                  // of all in front of this block
        add     r17, r17, r21
        addc    r16, r16, r20
        jeq     id, NR_TASKLETS - 1, around
        sd      id8, sums + 8, d16
        call    r23, handshake_notify
        jump    raise
around: sd      zero, sums, d16                 // the first one's in the next turn
raise:  jz      r14, raised
        move    r2, r15
more:   ld      d0, r2, 0
        add     r1, r1, r21
        addc    r0, r0, r20
        sd      r2, 0, d0
        add     r2, r2, 8
        jltu    r2, r14, more
        call    r21, store
raised: move    r0, meet
        call    r23, barrier_wait
        add     r19, r19, NR_TASKLETS * BLOCK
        jump    turn
scanned: jnz    id, back
        ld      d0, zero, sums
        sd      zero, total, d0
        jump    back

add:    ld      d16, zero, base
next:   call    r21, load
        jz      r14, back
        move    r2, r15
plus:   ld      d0, r2, 0
        add     r1, r1, r17
        addc    r0, r0, r16
        sd      r2, 0, d0
        add     r2, r2, 8
        jltu    r2, r14, plus
        call    r21, store
        add     r18, r18, NR_TASKLETS * BLOCK
        jump    next

back:   add     r22, r22, -8
        ld      d22, r22, 0
        jump    r23

// The block at r18 comes to r15, r14 is where it ends there; 0: there is none.
load:   lw      r0, zero, size
        lsl     r0, r0, 3
        move    r14, 0
        jgeu    r18, r0, nothing
        sub     r2, r0, r18
        move    r3, BLOCK
        jleu    r2, r3, short
        move    r2, r3
short:  add     r14, r15, r2
        add     r0, r18, __sys_used_mram_end
        move    r1, r15
        call    r23, mram_read
nothing: jump   r21
store:  move    r0, r15
        add     r1, r18, __sys_used_mram_end
        sub     r2, r14, r15
        call    r23, mram_write
        jump    r21

        .section .data.__sys_host
        .balign 8
base:   .quad   0
        .size   base, 8
total:  .quad   0
        .size   total, 8
size:   .word   0
        .size   size, 4
kernel: .word   0
        .size   kernel, 4
        .data
meet:   .byte   255, NR_TASKLETS, NR_TASKLETS, meeting
        .bss
        .balign 8
sums:   .space  8 * NR_TASKLETS
buffers: .space BLOCK * NR_TASKLETS
        .section .atomic
meeting: .space 1
