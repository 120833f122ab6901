// Microbenchmark: b[i] = a[i] OPERATION scalar on ELEMENTS elements of WRAM in each tasklet, LAPS times.
//   mpu-as --syntax=dpu -D NR_TASKLETS=16 -D OPERATION=2 -D ELEMENTS=128 -D LAPS=10 arithmetic.s
// OPERATION: 0 to 3 add, sub, mul, div of int32, 4 to 7 of int64, 8 to 11 of float32, 12 to 15 of float64.
// With TRANSFER=1 each lap brings its 1,024 bytes from MRAM and takes as many back (operational intensity).
        .ifndef TRANSFER
        .set    TRANSFER, 0
        .endif
        .set    STACK_SIZE, 512
        .macro  called name                     // words
        move    r1, r17
        call    r23, \name
        .endm
        .macro  called_wide name                // pairs
        movd    d2, d16
        call    r23, \name
        .endm
        .macro  operation
        .if     OPERATION == 0
        add     r0, r0, r17
        .elif   OPERATION == 1
        sub     r0, r0, r17
        .elif   OPERATION == 2
        called  __mulsi3
        .elif   OPERATION == 3
        called  __divsi3
        .elif   OPERATION == 4
        add     r1, r1, r17
        addc    r0, r0, r16
        .elif   OPERATION == 5
        sub     r1, r1, r17
        subc    r0, r0, r16
        .elif   OPERATION == 6
        called_wide __muldi3
        .elif   OPERATION == 7
        called_wide __divdi3
        .elif   OPERATION == 8
        called  __addsf3
        .elif   OPERATION == 9
        called  __subsf3
        .elif   OPERATION == 10
        called  __mulsf3
        .elif   OPERATION == 11
        called  __divsf3
        .elif   OPERATION == 12
        called_wide __adddf3
        .elif   OPERATION == 13
        called_wide __subdf3
        .elif   OPERATION == 14
        called_wide __muldf3
        .else
        called_wide __divdf3
        .endif
        .endm
        .macro  transfer how
        .if     TRANSFER
        lsl     r0, id, 10
        add     r1, r0, numbers
        move    r2, 0x08000000
        add     r2, r2, r0
        \how    r1, r2, 127
        .endif
        .endm

        jump    __bootstrap
main:   sd      r22, 0, d22
        add     r22, r22, 8
        ld      d16, zero, scalar
        lsl     r20, id, 10
        add     r20, r20, numbers
        lw      r21, zero, laps
lap:    transfer ldma
        move    r19, 0
element:
        .if     OPERATION & 4                   // pairs
        lsl_add r18, r20, r19, 3
        ld      d0, r18, 0
        operation
        sd      r18, results - numbers, d0
        .else
        lsl_add r18, r20, r19, 2
        lw      r0, r18, 0
        operation
        sw      r18, results - numbers, r0
        .endif
        add     r19, r19, 1
        jneq    r19, ELEMENTS, element
        transfer sdma
        add     r21, r21, -1, nz, lap
        add     r22, r22, -8
        ld      d22, r22, 0
        jump    r23

        .data
        .balign 8
scalar: .quad   0
laps:   .word   0
        .bss
        .balign 8
numbers: .space 1024 * 16
results: .space 1024 * 16
