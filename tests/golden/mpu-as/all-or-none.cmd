# no pipe: the outputs are what matters here
mpu-as -o x.o --listing=none/x.lst good.s
