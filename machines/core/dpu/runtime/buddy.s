// Blocks of WRAM that can be given back, of 16 bytes times a power of 2.
//   buddy_init(r0): so many bytes of the heap, a power of 2 from 16 to 32,768 (else fault 2), and one byte
//     more for each 16: by mem_alloc.  buddy_reset(): all of them are free again.
//   buddy_alloc(r0): a block of r0 bytes or more in r0; 0 if there is none, or r0 is 0.
//   buddy_free(r0): the block that r0 points into; nothing if it is none's, or no multiple of 8.
//   buddy_realloc(r0, r1): a block of r1 bytes or more with what r0 has; 0, and r0 stays, if there is none.
// Behind the blocks is a map: of each block's first 16 bytes the order (16 << order bytes) + 1, 128 more
// where it is taken; 0 of all others.
        .text
        .globl  buddy_init
        .type   buddy_init, @function
buddy_init:
        move    r13, r23
        move    r12, r0
        add     r1, r0, -1
        and     r1, r1, r0, nz, .L__buddy_wrong
        jltu    r0, 16, .L__buddy_wrong
        move    r1, 32768
        jgtu    r0, r1, .L__buddy_wrong
        lsr     r1, r0, 4
        add     r0, r0, r1
        call    r23, mem_alloc
        acquire zero, __buddy_bit, nz, .
        sw      zero, __buddy_at, r0
        sw      zero, __buddy_bytes, r12
        jump    .L__buddy_clear
.L__buddy_wrong:
        fault   2
        jump    .L__buddy_wrong

        .globl  buddy_reset
        .type   buddy_reset, @function
buddy_reset:
        move    r13, r23
        acquire zero, __buddy_bit, nz, .
.L__buddy_clear:
        lw      r1, zero, __buddy_at
        lw      r2, zero, __buddy_bytes
        jz      r2, .L__buddy_end
        add     r1, r1, r2                      // the map
        lsr     r3, r2, 4
        move    r4, r1
.L__buddy_zero:
        sb      r4, 0, 0
        add     r4, r4, 1
        add     r3, r3, -1, nz, .L__buddy_zero
        clz     r3, r2
        move    r4, 28
        sub     r4, r4, r3
        sb      r1, 0, r4                       // one block, of all
.L__buddy_end:
        release zero, __buddy_bit, nz, . + 1
        jump    r13

        .globl  buddy_alloc
        .type   buddy_alloc, @function
buddy_alloc:
        move    r13, r23
        acquire zero, __buddy_bit, nz, .
        call    r23, .L__buddy_take
        jump    .L__buddy_end

        .globl  buddy_free
        .type   buddy_free, @function
buddy_free:
        move    r13, r23
        acquire zero, __buddy_bit, nz, .
        call    r23, .L__buddy_give
        jump    .L__buddy_end

        .globl  buddy_realloc
        .type   buddy_realloc, @function
buddy_realloc:
        jnz     r0, .L__buddy_again
        move    r0, r1
        jump    buddy_alloc
.L__buddy_again:
        jz      r1, buddy_free
        move    r13, r23
        move    r10, r0
        move    r11, r1
        acquire zero, __buddy_bit, nz, .
        call    r23, .L__buddy_find
        move    r0, 0
        jz      r7, .L__buddy_end
        and     r1, r9, 127
        move    r12, 8
        lsl     r12, r12, r1                    // bytes that it has
        move    r0, r10
        jgtu    r11, r12, .L__buddy_move
        lsr     r1, r12, 1
        jgtu    r11, r1, .L__buddy_end          // it is a block of that order
        jeq     r12, 16, .L__buddy_end
        move    r12, r11
.L__buddy_move:
        move    r0, r11
        call    r23, .L__buddy_take
        jnz     r0, .L__buddy_moved
        jneq    r11, r12, .L__buddy_end
        move    r0, r10                         // a smaller one has room where it is
        jump    .L__buddy_end
.L__buddy_moved:
        move    r11, r0
        move    r2, 0
.L__buddy_copy:
        add     r3, r10, r2
        ld      d4, r3, 0
        add     r3, r11, r2
        sd      r3, 0, d4
        add     r2, r2, 8
        jltu    r2, r12, .L__buddy_copy
        move    r0, r10
        call    r23, .L__buddy_give
        move    r0, r11
        jump    .L__buddy_end

// A block of r0 bytes: the least that is large enough, halved while a half is.
.L__buddy_take:
        lw      r2, zero, __buddy_bytes
        jz      r0, .L__buddy_none
        jgtu    r0, r2, .L__buddy_none
        move    r3, 1                           // its order + 1
        jleu    r0, 16, .L__buddy_order
        add     r3, r0, -1
        clz     r3, r3
        move    r4, 29
        sub     r3, r4, r3
.L__buddy_order:
        lw      r4, zero, __buddy_at
        add     r4, r4, r2
        lsr     r5, r2, 4
        add     r5, r4, r5                      // the map's end
        move    r6, 255                         // the best order + 1, and where that is
        move    r8, r4
.L__buddy_walk:
        lbu     r9, r8, 0
        and     r1, r9, 127
        jneq    r1, r9, .L__buddy_next
        jltu    r1, r3, .L__buddy_next
        jgeu    r1, r6, .L__buddy_next
        move    r6, r1
        move    r7, r8
        jeq     r1, r3, .L__buddy_split
.L__buddy_next:
        add     r1, r1, -1
        move    r9, 1
        lsl     r9, r9, r1
        add     r8, r8, r9
        jltu    r8, r5, .L__buddy_walk
        jeq     r6, 255, .L__buddy_none
.L__buddy_split:
        jeq     r6, r3, .L__buddy_taken
        add     r6, r6, -1
        add     r1, r6, -1
        move    r9, 1
        lsl     r9, r9, r1
        add     r9, r7, r9
        sb      r9, 0, r6
        jump    .L__buddy_split
.L__buddy_taken:
        or      r3, r3, 128
        sb      r7, 0, r3
        sub     r0, r7, r4
        lsl     r0, r0, 4
        sub     r4, r4, r2
        add     r0, r0, r4
        jump    r23
.L__buddy_none:
        move    r0, 0
        jump    r23

// Where in the map r0's block is, in r7, and its byte, in r9; r7 0 if r0 is in none that is taken.
.L__buddy_find:
        lw      r2, zero, __buddy_bytes
        lw      r4, zero, __buddy_at
        move    r7, 0
        and     r1, r0, 7, nz, .L__buddy_found
        sub     r1, r0, r4
        jgeu    r1, r2, .L__buddy_found
        add     r4, r4, r2
        lsr     r1, r1, 4
        add     r5, r4, r1
        move    r8, r4
.L__buddy_seek:
        lbu     r9, r8, 0
        and     r1, r9, 127
        add     r1, r1, -1
        move    r3, 1
        lsl     r3, r3, r1
        add     r3, r8, r3
        jgtu    r3, r5, .L__buddy_there
        move    r8, r3
        jump    .L__buddy_seek
.L__buddy_there:
        jltu    r9, 128, .L__buddy_found
        move    r7, r8
.L__buddy_found:
        jump    r23

// Two free halves become one block, as long as there are two.
.L__buddy_give:
        move    r12, r23
        call    r23, .L__buddy_find
        jz      r7, .L__buddy_given
        and     r1, r9, 127
        clz     r8, r2
        move    r9, 28
        sub     r8, r9, r8                      // of all
.L__buddy_merge:
        sb      r7, 0, r1
        jeq     r1, r8, .L__buddy_given
        move    r3, 1
        add     r6, r1, -1
        lsl     r3, r3, r6
        sub     r5, r7, r4
        xor     r5, r5, r3
        add     r5, r4, r5                      // the other half
        lbu     r6, r5, 0
        jneq    r6, r1, .L__buddy_given
        add     r1, r1, 1
        jltu    r5, r7, .L__buddy_lower
        sb      r5, 0, 0
        jump    .L__buddy_merge
.L__buddy_lower:
        sb      r7, 0, 0
        move    r7, r5
        jump    .L__buddy_merge
.L__buddy_given:
        jump    r12

        .section .bss.buddy
        .balign 4
__buddy_at: .space 4
__buddy_bytes: .space 4                         // 0: there are none
        .section .atomic
__buddy_bit: .space 1
