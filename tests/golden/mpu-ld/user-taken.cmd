# Names of the ISA that a program gives to an instruction and a macro of its own are its own
mpu-as -g -o user.o user-taken.s && mpu-ld --target racer,golden -o user.mpu user.o || exit
mpu-objdump -d user.o
for t in racer golden; do
    mpu-run --target $t user.mpu --in x=1,2,3,200 --in y=11,20,31,255 --print mean --print both --print more
done
mpu-objdump --reassemble -o again.s user.o && mpu-as -Wno-mnemonic -o again.o again.s && cmp user.o again.o
rm -f ./*.o ./*.mpu again.s
