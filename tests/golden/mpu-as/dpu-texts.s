// A file that is included, a macro of it, a value of the command line, the runtime library.
        .include "both.inc"
main:   both    add
        .irp    register, r3, r4
        move    \register, 'x'
        .endr
        call    r23, mutex_lock
end:    stop    true, end
