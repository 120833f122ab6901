  ADD r1 r2
  ADD r1 r2 r3 r4
  MOV r1
  INIT0
  NOP r1
  CMPEQ r1 r2 r3
  ADD r1, r2, r3,
  ADD r1,, r3
  NOP HALT
