mpu-as -g -o main.o main.s
mpu-objdump --reassemble main.o
mpu-objdump --reassemble main.o | mpu-as -o - - | cmp - main.o && echo same
