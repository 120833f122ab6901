printf 'NOP\n' >a.s
mpu-as a.s
mpu-objdump -d -o a.txt a.o && cat a.txt
mpu-objdump -d -o a.txt a.o no-such.o; echo "exit $?"
mpu-objdump -d -o b.txt no-such.o; echo "exit $?"
ls *.txt
mpu-objdump -d -o no/such/c.txt a.o
