mpu-as -g -o main.o main.s
mpu-as -g -o scale.o scale.s
mpu-ld --gc-sections --target golden --size n=40000 -o at-once.mpu main.o scale.o
mpu-ld --gc-sections -o plain.mpu main.o scale.o
mpu-ld --target golden --size n=40000 -o later.mpu plain.mpu
mpu-ld --target golden --size n=5 -o other.mpu later.mpu
mpu-ld --target golden --size n=40000 -o back.mpu other.mpu
cmp at-once.mpu later.mpu && cmp at-once.mpu back.mpu && echo same
