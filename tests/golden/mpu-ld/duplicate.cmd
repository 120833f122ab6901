mpu-as -g -o a.o scale.s
mpu-as -g -o b.o again.s
mpu-ld -o x.mpu a.o b.o
