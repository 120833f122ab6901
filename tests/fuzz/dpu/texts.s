        .macro  m a b=2
        .if     \a > 0
        m       (\a - 1), 7
        .elif   \b == 7 && \a <= 0
x\@:    nop
        .else
        add     r0, r0, \b
        .endif
        .endm
        m       3
1:      jump    1b
        jump    1f
1:      K = 3
        .comm   c, 4
        move    r0, '\n'
        .section ".note.x"
        .text
        .rept   3
        .irp    x, 1, 2, r3
        add     r1, r2, \x
        .endr
        .endr
        .ifndef N
        .set    N, 4
        .endif
        call    r23, mutex_lock
        move    r0, __sys_heap_begin
        .set    NR_TASKLETS, 3
        jump    __bootstrap
main:   call    r23, barrier_wait
        call    r23, __divsf3
