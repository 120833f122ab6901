# Who keeps an input and who consumes it do not go together.
echo '.var in consumed x: u8 r1' >a.s
echo '.var in x: u8 r1' >b.s
mpu-as a.s
mpu-as b.s
mpu-ld -o x.mpu a.o b.o || echo "exit $?" >&2
mpu-ld -o y.mpu a.o a.o
