# input: import-errors.rc
mpu-as --syntax=rc -o x.o "$IN"
