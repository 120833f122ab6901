NOP
.macro forever a
  NOP
