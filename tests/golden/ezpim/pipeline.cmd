cp "$EXAMPLES/dappa/dot.ez" .
ezpim dot.ez
ezpim -S --no-fuse -o - dot.ez
mpu-objdump --reassemble -o again.s dot.mpu
mpu-as again.s
mpu-ld -o again.mpu again.o
mpu-objdump --reassemble -o twice.s again.mpu
cmp again.s twice.s
mpu-run --target upmem again.mpu --in a=iota --in b=iota --print sum
