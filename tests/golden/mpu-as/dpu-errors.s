main:
    add r0, r1, 300, nz, main
    mov r0, r1
    lw r0, r24, 0
    jump away
