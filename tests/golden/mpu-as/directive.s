.widht 32
.globl main
.section .text
.equal N 4
.endmacro
.lut squares 4
.recipe fast
main: NOP
