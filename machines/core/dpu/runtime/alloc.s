// mem_alloc(r0): so many bytes of WRAM behind the program's own, 8 bytes aligned, in r0; fault 1 if there
// are no more.  mem_reset() gives all back; what it gives in r0 is where they begin.
        .text
        .globl  mem_alloc
        .type   mem_alloc, @function
mem_alloc:
        acquire zero, __heap_bit, nz, .
        lw      r1, zero, __heap_at
        jnz     r1, .L__heap_set
        move    r1, __sys_heap_begin
.L__heap_set:
        add     r2, r0, 7
        jltu    r2, r0, .L__heap_full
        and     r2, r2, -8
        move    r3, 65536
        sub     r3, r3, r1
        jltu    r3, r2, .L__heap_full
        add     r2, r1, r2
        sw      zero, __heap_at, r2
        move    r0, r1
        release zero, __heap_bit, nz, . + 1
        jump    r23
.L__heap_full:
        fault   1
        jump    .L__heap_full
        .globl  mem_reset
        .type   mem_reset, @function
mem_reset:
        move    r0, __sys_heap_begin
        acquire zero, __heap_bit, nz, .
        sw      zero, __heap_at, r0
        release zero, __heap_bit, nz, . + 1
        jump    r23
        .section .bss.heap
        .balign 4
        .globl  __heap_at, __heap_bit
__heap_at: .space 4                             // 0: nothing was taken
        .section .atomic
__heap_bit: .space 1
