mpu-as -g -o main.o main.s
mpu-as -g -o scale.o scale.s
mpu-ld --gc-sections --entry main -o all.mpu main.o scale.o
mpu-objdump --reassemble all.mpu | mpu-as -o again.o -
mpu-ld -o again.mpu again.o && cmp again.mpu all.mpu && echo same
