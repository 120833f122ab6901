// barrier_wait(r0): waits until as many tasklets as the barrier has are there.  A barrier is 4 bytes:
// 255, tasklets, tasklets, an atomic bit of its own.
        .text
        .globl  barrier_wait
        .type   barrier_wait, @function
barrier_wait:
        lbu     r1, r0, 3
        acquire r1, 0, nz, .
        lbu     r2, r0, 1
        move    r6, id
        lbu     r3, r0, 0                       // who came last, 255: nobody
        add     r2, r2, -1, z, .L__barrier_all
        sb      r0, 1, r2
        jeq     r3, 255, .L__barrier_first
        lbu     r4, r3, __wait_queue            // the queue is a ring, the last one's next is the first
        sb      r3, __wait_queue, r6
        sb      id, __wait_queue, r4
        jump    .L__barrier_stop
.L__barrier_first:
        sb      id, __wait_queue, r6
.L__barrier_stop:
        sb      r0, 0, r6
        release r1, 0, nz, . + 1
        stop    false, . + 1
        jump    r23
.L__barrier_all:
        lbu     r2, r0, 2
        sb      r0, 1, r2
        jeq     r3, 255, .L__barrier_end
        lbu     r4, r3, __wait_queue
.L__barrier_next:
        lbu     r5, r4, __wait_queue
        resume  r4, 0, nz, .
        jeq     r4, r3, .L__barrier_end
        move    r4, r5
        jump    .L__barrier_next
.L__barrier_end:
        move    r2, 255
        sb      r0, 0, r2
        release r1, 0, nz, . + 1
        jump    r23
