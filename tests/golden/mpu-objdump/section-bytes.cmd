printf 'NOP\nHALT\n' >two.s
mpu-as -o two.o two.s
mpu-objdump -s two.o
