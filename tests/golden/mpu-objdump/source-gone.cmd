cp small.s gone.s
mpu-as -g -o gone.o gone.s
rm gone.s
mpu-objdump -S gone.o
