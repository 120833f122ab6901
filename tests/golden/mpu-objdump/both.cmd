mpu-objdump -d --reassemble x.o
