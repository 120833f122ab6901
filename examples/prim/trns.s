// TRNS: of `tiles` tiles at the beginning of MRAM, each `rows` rows of `columns` numbers of 8 bytes, as
// `kernel` says:
//   0  each tile is transposed
//   1  piece j of tile i, `rows` numbers, goes to place j * tiles + i, where another one was.
//      Tasklets follow them in turn; a bit says of each place whether its piece was taken.
        .ifndef NR_TASKLETS
        .set    NR_TASKLETS, 16
        .endif
        .set    MOST, 1024                      // bytes of a tile
        .set    PLACES, (57344 - NR_TASKLETS * (2 * MOST + 256)) / 8 * 64
        .globl  __sys_used_mram_end, tiles, rows, columns, kernel, most_places
        .mram
__sys_used_mram_end:

        .text
        jump    __bootstrap
main:   sd      r22, 0, d22                     // r23, which says where to go back to
        add     r22, r22, 8
        lw      r20, zero, rows
        lsl     r20, r20, 3                     // bytes of a piece
        lw      r21, zero, columns
        lsl     r14, id, 11
        add     r14, r14, room                  // two tiles, or two pieces
        add     r15, r14, MOST
        lw      r0, zero, kernel
        jnz     r0, pieces

        move    r0, r20
        move    r1, r21
        call    r23, __mulsi3
        move    r19, r0                         // bytes of a tile
        move    r18, id
tile:   lw      r0, zero, tiles
        jgeu    r18, r0, back
        move    r0, r18
        move    r1, r19
        call    r23, __mulsi3
        add     r17, r0, __sys_used_mram_end
        move    r0, r17
        move    r1, r14
        move    r2, r19
        call    r23, mram_read
        move    r2, r14
        add     r3, r15, r20
        move    r4, r15                         // where a row's numbers go to: a column
row:    move    r5, r4
        move    r6, r21
number: ld      d0, r2, 0
        sd      r5, 0, d0
        add     r2, r2, 8
        add     r5, r5, r20
        add     r6, r6, -1, nz, number
        add     r4, r4, 8
        jltu    r4, r3, row
        move    r0, r15
        move    r1, r17
        move    r2, r19
        call    r23, mram_write
        add     r18, r18, NR_TASKLETS
        jump    tile

pieces: lw      r0, zero, tiles
        move    r1, r21
        call    r23, __mulsi3
        move    r19, r0                         // places
        add     r1, r0, 63                      // no piece was taken
        lsr     r1, r1, 6
        lsl     r1, r1, 3
        add     r1, r1, taken
        add     r2, id8, taken
clear:  jgeu    r2, r1, clean
        sd      r2, 0, 0
        add     r2, r2, 8 * NR_TASKLETS
        jump    clear
clean:  move    r0, meet
        call    r23, barrier_wait
follow: acquire zero, turn, nz, .
        lw      r18, zero, next
        add     r0, r18, 1
        sw      zero, next, r0
        release zero, turn, nz, . + 1
        jgeu    r18, r19, done
        call    r17, read                       // before its bit: without that the piece is whole
        call    r16, bit
        lbu     r3, r2, taken
        and     r3, r3, r4, nz, follow
move:   move    r0, r18                         // where the piece in r14 goes to
        move    r1, r21
        call    r23, __udivsi3
        move    r18, r0
        move    r0, r1
        lw      r1, zero, tiles
        call    r23, __mulsi3
        add     r18, r18, r0
        move    r0, r14                         // what was there comes to r14, and that to r15
        move    r14, r15
        move    r15, r0
        call    r17, read
        call    r17, take
        jnz     r0, follow
        call    r17, write
        jump    move
done:   move    r0, meet
        call    r23, barrier_wait
        jnz     id, back
        sw      zero, next, 0
back:   add     r22, r22, -8
        ld      d22, r22, 0
        jump    r23

// The piece of place r18, to r14; from r15.
read:   move    r0, r18
        move    r1, r20
        call    r23, __mulsi3
        add     r0, r0, __sys_used_mram_end
        move    r1, r14
        move    r2, r20
        call    r23, mram_read
        jump    r17
write:  move    r0, r18
        move    r1, r20
        call    r23, __mulsi3
        add     r1, r0, __sys_used_mram_end
        move    r0, r15
        move    r2, r20
        call    r23, mram_write
        jump    r17
// Where the bit of place r18 is: byte r2, as mask r4.
bit:    lsr     r2, r18, 3
        and     r3, r18, 7
        move    r4, 1
        lsl     r4, r4, r3
        jump    r16
// Whether the piece of place r18 was taken, to r0; it is now.
take:   call    r16, bit
        and     r5, r2, 15                      // a lock for every 16th byte
        acquire r5, locks, nz, .
        lbu     r3, r2, taken
        and     r0, r3, r4
        or      r3, r3, r4
        sb      r2, taken, r3
        release r5, locks, nz, . + 1
        jump    r17

        .section .data.__sys_host
        .irp    name, tiles, rows, columns, kernel
\name:  .word   0
        .size   \name, 4
        .endr
most_places: .word PLACES
        .size   most_places, 4
        .data
meet:   .byte   255, NR_TASKLETS, NR_TASKLETS, meeting
next:   .word   0
        .bss
        .balign 8
room:   .space  2 * MOST * NR_TASKLETS
taken:  .space  PLACES / 8
        .section .atomic
meeting: .space 1
turn:   .space  1
locks:  .space  16
