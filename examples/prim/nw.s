// NW: `blocks` blocks of a table of alignment scores, each BL rows and columns.  In MRAM a block has
//   the scores above it, from the one to the left of them on (BL + 2 words), those to its left (BL words),
//   how alike each two elements are (BL * BL words), and its own scores, which are made.
// In WRAM tasklets work on squares of SUB rows and columns, those of a diagonal at once.
        .ifndef NR_TASKLETS
        .set    NR_TASKLETS, 16
        .endif
        .ifndef BL
        .set    BL, 64
        .endif
        .set    SUB, 4
        .set    ROW, 4 * (BL + 2)               // bytes of a row of scores in WRAM: 1 word, left, its own
        .set    LEFT, ROW                       // where a block's parts lie in MRAM
        .set    ALIKE, LEFT + 4 * BL
        .set    MADE, ALIKE + 4 * BL * BL
        .set    ALL, MADE + 4 * BL * BL
        .globl  __sys_used_mram_end, blocks, penalty, block_rows
        .mram
__sys_used_mram_end:

        .text
        jump    __bootstrap
main:   sd      r22, 0, d22                     // r23, which says where to go back to
        add     r22, r22, 8
        move    r20, __sys_used_mram_end
        lw      r21, zero, blocks
block:  jz      r21, back
        jnz     id, parts                       // the first tasklet brings what is around the block
        move    r0, r20
        move    r1, scores
        move    r2, ROW
        call    r23, mram_read
        add     r0, r20, LEFT
        move    r1, left
        move    r2, 4 * BL
        call    r23, mram_read
parts:  move    r18, id                         // all bring rows of what is alike
rows:   jgeu    r18, BL, brought
        move    r0, r18
        move    r1, 4 * BL
        call    r23, __mulsi3
        add     r1, r0, alike
        add     r0, r0, ALIKE
        add     r0, r0, r20
        move    r2, 4 * BL
        call    r23, mram_read
        add     r18, r18, NR_TASKLETS
        jump    rows
brought: move   r0, meet
        call    r23, barrier_wait
        move    r18, id                         // scores to the left go to their rows
lefts:  jgeu    r18, BL, placed
        move    r0, r18
        move    r1, ROW
        call    r23, __mulsi3
        lsl     r1, r18, 2
        lw      r1, r1, left
        sw      r0, scores + ROW + 4, r1
        add     r18, r18, NR_TASKLETS
        jump    lefts
placed: move    r19, 0                          // the diagonal
lines:  move    r0, meet
        call    r23, barrier_wait
        jgeu    r19, 2 * BL / SUB - 1, scored
        move    r18, id                         // column of the square
square: jgeu    r18, BL / SUB, next_line
        sub     r17, r19, r18, ltu, next_line   // its row
        jgeu    r17, BL / SUB, other
        move    r0, r17
        move    r1, SUB * ROW
        call    r23, __mulsi3
        lsl     r15, r18, 2
        lsl     r15, r15, 2                     // SUB words
        add     r14, r0, r15
        add     r14, r14, scores + ROW + 8      // its first score
        move    r0, r17
        move    r1, SUB * 4 * BL
        call    r23, __mulsi3
        add     r15, r15, r0
        add     r15, r15, alike
        lw      r12, zero, penalty
        move    r11, SUB
line:   lw      r0, r14, -4                     // to the left
        lw      r1, r14, -(ROW + 4)             // above that
        .irp    k, 0, 4, 8, 12
        lw      r2, r15, \k
        add     r1, r1, r2
        lw      r2, r14, \k - ROW               // above
        sub     r0, r0, r12
        sub     r3, r2, r12
        jges    r0, r3, 1f
        move    r0, r3
1:      jges    r0, r1, 2f
        move    r0, r1
2:      sw      r14, \k, r0
        move    r1, r2
        .endr
        add     r14, r14, ROW
        add     r15, r15, 4 * BL
        add     r11, r11, -1, nz, line
other:  add     r18, r18, NR_TASKLETS
        jump    square
next_line: add  r19, r19, 1
        jump    lines
scored: move    r18, id
store:  jgeu    r18, BL, stored
        move    r0, r18
        move    r1, ROW
        call    r23, __mulsi3
        add     r14, r0, scores + ROW + 8
        move    r0, r18
        move    r1, 4 * BL
        call    r23, __mulsi3
        add     r1, r0, MADE
        add     r1, r1, r20
        move    r0, r14
        move    r2, 4 * BL
        call    r23, mram_write
        add     r18, r18, NR_TASKLETS
        jump    store
stored: move    r0, meet
        call    r23, barrier_wait
        add     r20, r20, ALL
        add     r21, r21, -1
        jump    block
back:   add     r22, r22, -8
        ld      d22, r22, 0
        jump    r23

        .section .data.__sys_host
        .irp    name, blocks, penalty
\name:  .word   0
        .size   \name, 4
        .endr
block_rows: .word BL
        .size   block_rows, 4
        .data
meet:   .byte   255, NR_TASKLETS, NR_TASKLETS, meeting
        .bss
        .balign 8
scores: .space  ROW * (BL + 1)
        .balign 8
alike:  .space  4 * BL * BL
left:   .space  4 * BL
        .section .atomic
meeting: .space 1
