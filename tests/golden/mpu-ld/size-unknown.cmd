mpu-as -g -o main.o main.s
mpu-as -g -o scale.o scale.s
mpu-ld --target golden --size m=4,n=4 -o x.mpu main.o scale.o
