: >empty.s
mpu-as -o empty.o empty.s
mpu-objdump -d empty.o
