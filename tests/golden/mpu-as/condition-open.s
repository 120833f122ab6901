.if 1
.if 0
  NOP
