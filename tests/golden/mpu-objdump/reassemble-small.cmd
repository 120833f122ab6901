# The text assembles to the same bytes, with and without a line table.
for g in -g ''; do
    mpu-as $g -o small.o small.s
    mpu-objdump --reassemble small.o >again.s
    mpu-as $g -o again.o again.s
    mpu-objdump -o small.txt -x -d small.o
    mpu-objdump -o again.txt -x -d again.o
    cmp small.o again.o && echo same
done
cat again.s
