// Between words of 32 bits and float64, by those of 64 bits, and float32 and 64 bits by float64:
// __floatsidf, __floatunsidf (r0 to d0), __fixdfsi, __fixunsdfsi (d0 to r0), __fixsfdi, __fixunssfdi (r0 to
// d0).  Toward zero; what is out of range becomes the nearest number, NaN 0.  Each needs r22.
        .text
        .globl  __floatsidf, __floatunsidf
__floatsidf:
        move    r1, r0
        asr     r0, r0, 31
        jump    __floatdidf
__floatunsidf:
        move    r1, r0
        move    r0, 0
        jump    __floatundidf
        .globl  __fixsfdi, __fixunssfdi
__fixsfdi:
        sd      r22, 0, d22
        add     r22, r22, 8
        call    r23, __extendsfdf2
        add     r22, r22, -8
        ld      d22, r22, 0
        jump    __fixdfdi
__fixunssfdi:
        sd      r22, 0, d22
        add     r22, r22, 8
        call    r23, __extendsfdf2
        add     r22, r22, -8
        ld      d22, r22, 0
        jump    __fixunsdfdi
        .globl  __fixdfsi, __fixunsdfsi
__fixdfsi:
        sd      r22, 0, d22
        add     r22, r22, 8
        call    r23, __fixdfdi
        add     r22, r22, -8
        ld      d22, r22, 0
        asr     r2, r1, 31
        jeq     r2, r0, .L__convert_fits
        lsr     r2, r0, 31                      // the largest, or the smallest
        add     r1, r2, 0x7fffffff
.L__convert_fits:
        move    r0, r1
        jump    r23
__fixunsdfsi:
        sd      r22, 0, d22
        add     r22, r22, 8
        call    r23, __fixunsdfdi
        add     r22, r22, -8
        ld      d22, r22, 0
        jz      r0, .L__convert_fits
        move    r0, -1
        jump    r23
