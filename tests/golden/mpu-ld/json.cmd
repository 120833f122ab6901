mpu-as call.s
mpu-ld --diagnostics=json -o x.mpu call.o
