# input: warn.s
mpu-as --diagnostics=json -o x.o "$IN"
