  ADDD r1 r2 r3
  ADD r1 r2
  SUBB r1 r2 r3
