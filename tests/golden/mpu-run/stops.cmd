try() {
    echo "\$ $*" >&2
    "$@" 2>err; code=$?
    sed "s|so far: .*|so far: ...|" err >&2
    echo "exit $code" >&2
}
try mpu-run --target racer assert.s
mpu-as -g assert.s
try mpu-run --target racer assert.o
try mpu-run --target golden --batch one assert.s
try mpu-run --target racer --max-cycles 500 forever.s
try mpu-run --target golden --max-cycles 500 forever.s
try mpu-run --target racer --in RFH0.VRF0.r2:u8=9 --print RFH0.VRF0.r1:u8[0:3] --max-cycles 100000 loop.s
try mpu-run --target racer --in RFH0.VRF0.r2:u8=200 --print RFH0.VRF0.r1:u8[0:3] --max-cycles 100 loop.s
printf 'main: RETURN\n' >return.s
try mpu-run --target racer return.s
printf 'main: ADD r1 r2 r3\n' >outside.s
try mpu-run --target racer outside.s
printf 'main:\n  COMPUTE RFH0 VRF0\n  MPU_SYNC\n  COMPUTE_DONE\n' >sync.s
try mpu-run --target racer sync.s
printf 'main: JUMP main\n' >deep.s
try mpu-run --target racer deep.s
