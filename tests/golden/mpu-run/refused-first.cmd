# A program that is refused needs no data: no warning about its inputs comes before.
printf '  .group g[2]\n  .var in x: u8 @g = r1\n  MOVE RFH0 RFH1\n  LANE reverse\n  MOVE_DONE\n' >p.s
mpu-run --target racer --set dtc.buffer_registers=0 p.s
printf '  .group g[99999999]\n  .var in x: u8 @g = r1\n  COMPUTEG @g\n  INV.8 r1 r2\n  COMPUTE_DONE\n  JUMP_ANY 0\n' >q.s
mpu-run --target racer q.s
