# no pipe: the objects are named files
try() {
    echo "\$ $1" >&2
    sed "$1" absdiff.s >callee.s
    mpu-as -o callee.o callee.s
    mpu-ld -o differs.mpu extern.o callee.o
    echo "exit $?" >&2
}
ezpim -c -o extern.o extern.ez
try 's/r41: u32 out/r41: i32 out/'
try 's/r41: u32 out/r44: u32 out/'
try 's/out r42: u32/out r42: u16/'
try 's/clobber r41, r43/clobber r41, r43, r50/'
try 's/ clobber r41, r43//'
try '/signature/s/.*/        .global absdiff/'
