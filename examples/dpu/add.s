// For a host in C (add_host.c): adds `amount` to each of `count` numbers behind the program's own MRAM,
// 8 tasklets in turn, 64 of them at a time, and counts those that became 0.
        .data
        .globl  amount, count, zeros
amount: .word   0
        .size   amount, 4
count:  .word   0
        .size   count, 4
zeros:  .space  32
        .size   zeros, 32
        .bss
buffers: .space 8 * 256
        .mram
        .globl  __sys_used_mram_end
__sys_used_mram_end:

        .text
main:   jeq     id, 7, work                     // each starts the next
        boot    id, 1
work:   lsl     r5, id, 8
        add     r5, r5, buffers
        lsl     r4, id, 8                       // where this tasklet's numbers are
        lw      r1, zero, count
        lsl     r1, r1, 2
        lw      r2, zero, amount
        move    r8, 0
block:  jgeu    r4, r1, done
        add     r6, r4, __sys_used_mram_end
        ldma    r5, r6, 31
        move    r0, 64
        move    r7, r5
next:   lw      r3, r7, 0
        add     r3, r3, r2, nz, on
        add     r8, r8, 1
on:     sw      r7, 0, r3
        add     r7, r7, 4
        add     r0, r0, -1, nz, next
        sdma    r5, r6, 31
        add     r4, r4, 8 * 256
        jump    block
done:   sw      id4, zeros, r8
end:    stop    true, end
