mpu-as call.s && mpu-as lib.s
mpu-ld -v --target golden -o x.mpu call.o lib.o 2>&1 | sed "s|[0-9]* bytes|N bytes|" >&2
