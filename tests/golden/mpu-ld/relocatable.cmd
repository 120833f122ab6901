mpu-as -g -o main.o main.s
mpu-as -g -o scale.o scale.s
mpu-ld -o direct.mpu main.o scale.o
mpu-ld -r -o both.o main.o scale.o
mpu-ld both.o
cmp direct.mpu both.mpu && echo same
