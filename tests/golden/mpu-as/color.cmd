# input: three.s
mpu-as --color=always --max-errors=1 -o x.o "$IN" 2>&1 | sed 's/\x1b/<ESC>/g' >&2
