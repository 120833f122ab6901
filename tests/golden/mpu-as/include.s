  NOP
.include "inner.inc"
  NOP
