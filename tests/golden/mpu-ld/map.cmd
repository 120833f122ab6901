mpu-as -g -o main.o main.s
mpu-as -g -o scale.o scale.s
mpu-ld --gc-sections --target golden --size n=40000 -Map=- -o x.mpu main.o scale.o
