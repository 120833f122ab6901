  FADD r1 r2 r3
  FZERO r1 r2
  LUT r1 0 r2
  RECIPE 0
