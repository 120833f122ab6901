  .size n
  .lut squares k=4 width=8 = 0, 1, 4, 9, 16
  .lut squares = 25, 256
  .lut squares k=4 width=8
  .lut pair k=1 width=4 = 1, 2, 3
  .lut deep k=17 width=8
  .lut wide k=2 width=65
  .lut bare
  .lut parts k=2 width=4 = -8, size(m)
  LUT r1 square r2
  LUT r1 r2 r3
  LUT r1 9 r2
  LUT.8 r1 squares
  RECIPE 0
