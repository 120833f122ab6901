mkdir a b
echo '.include "x.inc"' >p.s
echo 'LI 1 r1' >a/x.inc
echo 'LI 2 r1' >b/x.inc
mpu-as -I b -I a p.s -o - | mpu-objdump -d --no-show-raw-insn -
echo 'LI 3 r1' >x.inc
mpu-as -Ib p.s -o - | mpu-objdump -d --no-show-raw-insn -
