mpu-as -g -o - main.s | mpu-objdump -x -d -
