mpu-as -o x.o --listing=- listing-macro.s
