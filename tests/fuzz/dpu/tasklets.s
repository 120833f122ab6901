# Tasklets that share a sum, transfers, and a barrier of two.
.globl counter
.data
counter: .word 5, 6
.mram
numbers: .quad 1, 2, 3, 4
.text
        jeq id, 1, work
        boot id, 1
work:   move r3, counter
        move r4, numbers
        ldma r3, r4, 1
        acquire zero, 3, nz, .
        lw r0, zero, counter
        add r0, id, r0
        sw zero, counter, r0
        release zero, 3, nz, . + 1
        move r5, 20
loop:   lsl_add r1, r1, r5, 2
        sh zero, 64, r1
        lbs.s d6, zero, 64
        mul_step d8, r1, d6, 1, z, . + 1
        add r5, r5, -1, nz, loop
        sdma r3, r4, 1
        jeq id, 1, last
        stop
        jump end
last:   resume zero, 0, nz, .
end:    stop true, end
