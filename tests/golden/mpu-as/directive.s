.widht 32
.globl main
.section .text
.equal N 4
.endmacro
.lut squares
.recipe fast
main: NOP
