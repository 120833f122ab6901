# A plan for cores and for planes, fused and stage by stage; the code of its kernels.
cp "$EXAMPLES/dappa/dot.ez" "$EXAMPLES/dappa/sel.ez" .
try() { echo "$ mpu-objdump $*" | sed "s# $EXAMPLES# .#"; mpu-objdump "$@" 2>&1 || echo "exit $?"; }
ezpim dot.ez
ezpim --no-fuse -o two.mpu dot.ez
ezpim sel.ez
try --plan --target upmem-dappa,racer --size n=1048577 dot.mpu
try --plan --target upmem-dappa --size n=1048577 two.mpu
try --plan --target upmem sel.mpu
mpu-objdump --plan --recipes --target upmem --size n=1000 dot.mpu | sed -n '/^part 1:$/,/^ *2 /p'
mpu-objdump --recipes --target racer dot.mpu | sed -n 1,4p
try --plan dot.mpu
try --target upmem dot.mpu
try --plan --target upmem --size n=0 dot.mpu
try --plan --target upmem --size m=1 dot.mpu
ezpim -o plain.mpu "$EXAMPLES/axpy.ez"
try --plan --target upmem plain.mpu
