# A file of recipes that has none says so, where it is used.
printf ' COMPUTE RFH0 VRF0\n ADD.8 r1 r2 r3\n COMPUTE_DONE\n HALT\n' >a.s
printf '# nothing yet\n\n' >empty.recipe
mpu-as a.s -o a.o
mpu-ld --target racer --recipe-file empty.recipe -o x.mpu a.o
mpu-run --target golden x.mpu
mpu-ld --target racer --recipe-file empty.recipe -Wno-empty -o x.mpu a.o
rm a.s a.o x.mpu empty.recipe
