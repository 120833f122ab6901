.rept 3
  NOP
