mpu-as -g -o small.o small.s
mpu-as -g -o callee.o callee.s
mpu-ld -o small.mpu small.o callee.o
mpu-objdump -x -d -l small.mpu
