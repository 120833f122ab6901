mpu-as -o small.o small.s
mpu-objdump -v -t small.o 2>&1 >/dev/null | sed "s|[0-9]* bytes|N bytes|" >&2
