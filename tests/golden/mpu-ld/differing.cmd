mpu-as -o a.o main.s
mpu-as -o b.o again.s
mpu-ld -o x.mpu a.o b.o
