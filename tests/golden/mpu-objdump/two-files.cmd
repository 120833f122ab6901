printf 'NOP\n' >a.s
printf 'HALT\n' >b.s
mpu-as a.s && mpu-as b.s
mpu-objdump -d a.o no-such.o b.o
