// A mutex is the number of an atomic bit, in r0.  mutex_trylock gives 1 if it was free, else 0.
        .text
        .globl  mutex_lock
        .type   mutex_lock, @function
mutex_lock:
        acquire r0, 0, nz, .
        jump    r23
        .globl  mutex_unlock
        .type   mutex_unlock, @function
mutex_unlock:
        release r0, 0, nz, . + 1
        jump    r23
        .globl  mutex_trylock
        .type   mutex_trylock, @function
mutex_trylock:
        acquire r0, 0, z, .L__mutex_free
        move    r0, 0
        jump    r23
.L__mutex_free:
        move    r0, 1
        jump    r23
