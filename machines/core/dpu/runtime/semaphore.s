// sem_take(r0) takes one, waiting for it; sem_give(r0) gives one.  A semaphore is 4 bytes: 255, how many
// there are (with a sign), the same, an atomic bit of its own.
        .text
        .globl  sem_take
        .type   sem_take, @function
sem_take:
        lbu     r1, r0, 3
        acquire r1, 0, nz, .
        lbs     r2, r0, 1
        add     r2, r2, -1
        sb      r0, 1, r2
        jges    r2, 0, .L__sem_end
        move    r6, id
        lbu     r3, r0, 0
        jeq     r3, 255, .L__sem_first
        lbu     r4, r3, __wait_queue
        sb      r3, __wait_queue, r6
        sb      id, __wait_queue, r4
        jump    .L__sem_stop
.L__sem_first:
        sb      id, __wait_queue, r6
.L__sem_stop:
        sb      r0, 0, r6
        release r1, 0, nz, . + 1
        stop    false, . + 1
        jump    r23
.L__sem_end:
        release r1, 0, nz, . + 1
        jump    r23
        .globl  sem_give
        .type   sem_give, @function
sem_give:
        lbu     r1, r0, 3
        acquire r1, 0, nz, .
        lbs     r2, r0, 1
        add     r2, r2, 1
        sb      r0, 1, r2
        jgts    r2, 0, .L__sem_end
        lbu     r3, r0, 0                       // somebody waits
        lbu     r4, r3, __wait_queue            // the first
        jeq     r3, r4, .L__sem_empty
        lbu     r5, r4, __wait_queue
        sb      r3, __wait_queue, r5
        jump    .L__sem_wake
.L__sem_empty:
        move    r5, 255
        sb      r0, 0, r5
.L__sem_wake:
        resume  r4, 0, nz, .
        jump    .L__sem_end
