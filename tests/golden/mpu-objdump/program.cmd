mpu-as -g -o main.o main.s
mpu-as -g -o scale.o scale.s
mpu-ld --target golden --size n=100 --gc-sections main.o scale.o
mpu-objdump -d -r -t main.mpu
