// HST-L: how many of `size` numbers of 12 bits, at the beginning of MRAM, fall into each of `bins` bins.
// NR_HISTOS histograms, each for as many tasklets, which take its mutex for each number; in the end the
// first one has the sum of all.
        .ifndef NR_TASKLETS
        .set    NR_TASKLETS, 16
        .endif
        .ifndef NR_HISTOS
        .set    NR_HISTOS, 1
        .endif
        .set    BLOCK, 1024
        .set    MOST_BINS, 4096                 // of all histograms
        .globl  __sys_used_mram_end, size, bins, most_bins, histograms
        .mram
__sys_used_mram_end:

        .text
        jump    __bootstrap
main:   sd      r22, 0, d22                     // r23, which says where to go back to
        add     r22, r22, 8
        lw      r20, zero, bins
        lw      r19, zero, size
        lsl     r19, r19, 2                     // in bytes
        move    r0, id                          // r21: this tasklet's histogram, r14: its number
        move    r1, NR_HISTOS
        call    r23, __umodsi3
        move    r14, r0
        lsl     r1, r20, 2
        call    r23, __mulsi3
        add     r21, r0, histograms
        move    r0, meet
        call    r23, barrier_wait               // the host's numbers are the same for all
        move    r0, r20                         // every NR_TASKLETS-th bin of all histograms is 0
        move    r1, 4 * NR_HISTOS
        call    r23, __mulsi3
        add     r2, id4, histograms
        add     r0, r0, histograms
        move    r1, 0
clear:  jgeu    r2, r0, cleared
        sw      r2, 0, r1
        add     r2, r2, 4 * NR_TASKLETS
        jump    clear
cleared: move   r0, meet
        call    r23, barrier_wait
        lsl     r18, id, 10                     // of the block at hand, in MRAM
        add     r15, r18, buffers
block:  jgeu    r18, r19, counted
        sub     r16, r19, r18                   // bytes of it
        move    r2, BLOCK
        jleu    r16, r2, short
        move    r16, r2
short:  add     r0, r18, __sys_used_mram_end
        move    r1, r15
        add     r2, r16, 7
        and     r2, r2, -8
        call    r23, mram_read
        add     r16, r15, r16
        move    r17, r15
each:   lw      r0, r17, 0
        move    r1, r20
        call    r23, __mulsi3
        lsr     r0, r0, 12
        lsl_add r3, r21, r0, 2
        acquire r14, locks, nz, .
        lw      r2, r3, 0
        add     r2, r2, 1
        sw      r3, 0, r2
        release r14, locks, nz, . + 1
        add     r17, r17, 4
        jltu    r17, r16, each
        add     r18, r18, NR_TASKLETS * BLOCK
        jump    block
counted: move   r0, meet
        call    r23, barrier_wait
        lsl     r20, r20, 2                     // bytes of a histogram
        move    r2, id4
sum:    jgeu    r2, r20, back
        lw      r1, r2, histograms
        add     r3, r2, r20
        move    r4, NR_HISTOS - 1
other:  jz      r4, summed
        lw      r0, r3, histograms
        add     r1, r1, r0
        add     r3, r3, r20
        add     r4, r4, -1
        jump    other
summed: sw      r2, histograms, r1
        add     r2, r2, 4 * NR_TASKLETS
        jump    sum
back:   add     r22, r22, -8
        ld      d22, r22, 0
        jump    r23

        .section .data.__sys_host
size:   .word   0
        .size   size, 4
bins:   .word   0
        .size   bins, 4
most_bins: .word MOST_BINS / NR_HISTOS
        .size   most_bins, 4
        .data
meet:   .byte   255, NR_TASKLETS, NR_TASKLETS, meeting
        .bss
        .balign 8
histograms: .space 4 * MOST_BINS
        .size   histograms, 4 * MOST_BINS
buffers: .space BLOCK * NR_TASKLETS
        .section .atomic
meeting: .space 1
locks:  .space  NR_HISTOS
