mpu-as -g -o main.o main.s
mpu-as -g -o scale.o scale.s
mpu-ld --target golden -o x.mpu main.o scale.o
