# The package for a target is made where the file has none.
mpu-as -g -o main.o main.s
mpu-as -g -o scale.o scale.s
mpu-ld main.o scale.o
mpu-objdump --target racer main.mpu
echo "exit $?" >&2
mpu-objdump --target racer --size n=100 main.mpu | sed "/recipe table/,\$d"
