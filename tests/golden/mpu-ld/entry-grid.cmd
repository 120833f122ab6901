# MPUs of the grid that no .mpu line names start at --entry; subroutines that one of them starts at stay.
printf '.geometry grid=[2, 3]\n.mpu 2, other\n.mpu 4..5, other\n.global start\n.sub start\nHALT\n.endsub\n.sub unused\nRETURN\n.endsub\n.sub other\nNOP\nHALT\n.endsub\n' >a.s
mpu-as a.s
mpu-ld --gc-sections --entry start -o x.mpu a.o
mpu-objdump -x x.mpu | sed -n '/^grid/p;/^ENTRIES/,/^$/p'
mpu-objdump -t x.mpu | grep -c unused
printf '.geometry grid=[2]\n.mpu 0, b\n.sub main\nHALT\n.endsub\n.sub b\nHALT\n.endsub\n' >b.s
mpu-as b.s
mpu-ld --gc-sections -o y.mpu b.o
mpu-objdump -t y.mpu | sed -n '/\.text/p'
mpu-ld -Map=- -o z.mpu a.o | sed '/^variable/,$d'
