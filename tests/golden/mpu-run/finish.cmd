# no pipe: several runs
# What the host finishes is said in the statistics; a package that the file brings says who it is.
try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
mpu-as -o finish.o finish.s && mpu-ld -o finish.mpu --target racer --finish host --size n=5 finish.o
for f in "" "--finish host" "--finish auto"; do
    try mpu-run --target racer --in x=7,-9,0,2147483647,2147483647 --print s --print t $f --stats text:full finish.mpu |
        grep -A2 -e '^s =' -e '^t =' -e finished | grep -v -e '^--' -e '^  time'
done
try mpu-run --target racer --in x=3,-9 --print s --finish device finish.mpu
try mpu-run --target racer --in x=3,-9 --print s --print t --finish host --stats json finish.mpu |
    grep -A9 '"finished"'
try mpu-run --target racer --in x=3,-9 --finish chip finish.mpu
rm -f finish.mpu finish.o
