mpu-as -v -o x.o good.s 2>&1 | sed "s|[0-9]* bytes|N bytes|" >&2
