sed 's/HALT/JUMP_ANY main/' main.s >loop.s
mpu-as -g -o main.o loop.s
mpu-as -g -o scale.o scale.s
mpu-ld --gc-sections --target racer --size n=16285697 -o x.mpu main.o scale.o
