mpu-as -g -o main.o main.s
mpu-as -g -o scale.o scale.s
mpu-ld --gc-sections --target golden,racer --size n=40000 --print-capacity -o x.mpu main.o scale.o
