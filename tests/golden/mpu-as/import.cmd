# no pipe: the object is looked at
mpu-as --syntax=rc --width 8 -g import.rc && mpu-objdump -d -l import.o
