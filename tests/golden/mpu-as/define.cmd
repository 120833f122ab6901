echo 'LI N r1' >n.s
echo 'LI M r2' >>n.s
mpu-as -D N=0x10 -DM n.s -o - | mpu-objdump -d --no-show-raw-insn -
