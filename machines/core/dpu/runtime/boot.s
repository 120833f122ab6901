// How a program begins whose first instruction is `jump __bootstrap`: tasklets 0 to NR_TASKLETS - 1
// call main, each with STACK_SIZE bytes from r22 on, and stop where it returns.
        .ifndef NR_TASKLETS
        .set    NR_TASKLETS, 1
        .endif
        .ifndef STACK_SIZE
        .set    STACK_SIZE, 256
        .endif
        .text
        .globl  __bootstrap
        .type   __bootstrap, @function
__bootstrap:
        jeq     id, NR_TASKLETS - 1, .L__boot_stack
        boot    id, 1
.L__boot_stack:
        move    r0, id
        move    r1, STACK_SIZE
        mul_ul_uh r2, r0, r1
        mul_ul_ul r22, r0, r1
        lsl_add r22, r22, r2, 8
        add     r22, r22, __stacks
        call    r23, main
.L__boot_end:
        stop    true, .L__boot_end
        .section .bss.stacks
        .balign 8
__stacks: .space NR_TASKLETS * STACK_SIZE
