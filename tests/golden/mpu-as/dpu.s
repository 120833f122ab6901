// A tasklet after the other adds its number to a sum.
    .text
main:
    jeq id, TASKLETS - 1, work
    boot id, 1
work:
    acquire zero, lock, nz, .
    lw r0, zero, sum
    add r0, r0, 5
    sw zero, sum, r0
    release zero, lock, nz, . + 1
end:
    stop true, end
    .set TASKLETS, 4
    .data
    .globl sum
    .type sum, @object
    .size sum, 4
sum:
    .word 0
    .section .atomic
    .space 200
lock:
    .space 1
