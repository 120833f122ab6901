// handshake_notify() of one tasklet and handshake_wait_for(r0) of another that names it meet: both go on
// when both are there.  handshake_wait_for gives 0, or 1 (and does not wait) if r0 is the tasklet itself
// or another one waits for r0 already.
        .text
        .globl  handshake_notify
        .type   handshake_notify, @function
handshake_notify:
        acquire id, __handshake_bits, nz, .
        lbu     r1, id, __handshake
        jnz     r1, .L__handshake_waits
        add     r2, id, 1
        sb      id, __handshake, r2
        release id, __handshake_bits, nz, . + 1
        stop    false, . + 1
        jump    r23
.L__handshake_waits:
        move    r2, 0
        sb      id, __handshake, r2
        release id, __handshake_bits, nz, . + 1
        add     r1, r1, -1
        resume  r1, 0, nz, .
        jump    r23
        .globl  handshake_wait_for
        .type   handshake_wait_for, @function
handshake_wait_for:
        jeq     id, r0, .L__handshake_wrong
        acquire r0, __handshake_bits, nz, .
        lbu     r1, r0, __handshake
        jz      r1, .L__handshake_first
        add     r2, r1, -1
        jneq    r2, r0, .L__handshake_taken
        move    r2, 0
        sb      r0, __handshake, r2
        release r0, __handshake_bits, nz, . + 1
        resume  r0, 0, nz, .
        move    r0, 0
        jump    r23
.L__handshake_first:
        add     r2, id, 1
        sb      r0, __handshake, r2
        release r0, __handshake_bits, nz, . + 1
        stop    false, . + 1
        move    r0, 0
        jump    r23
.L__handshake_taken:
        release r0, __handshake_bits, nz, . + 1
.L__handshake_wrong:
        move    r0, 1
        jump    r23
        .section .bss.handshake
__handshake: .space 24                          // by who notifies: who is there, + 1; 0: nobody
        .section .atomic
__handshake_bits: .space 24
