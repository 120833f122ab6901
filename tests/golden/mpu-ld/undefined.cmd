mpu-as -g -o main.o main.s
mpu-as -g -o other.o other.s
mpu-ld -o x.mpu main.o other.o
