# Who waits for whom, with source lines; a cycle of full queues that is broken, and one that is not.
try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
cat >ring.s <<'S'
        .geometry lanes=4, grid=[3]
main:   SEND MPU+1 wrap
        MOVE RFH0 RFH0
        MEMCPY.8 VRF0 r0 VRF0 r1
        MOVE_DONE
        SEND_DONE
        SEND MPU+1 wrap
        MOVE RFH0 RFH0
        MEMCPY.8 VRF0 r0 VRF0 r2
        MOVE_DONE
        SEND_DONE
        RECV MPU-1 wrap
        RECV MPU-1 wrap
S
try mpu-run --target racer ring.s --in MPU2.RFH0.VRF0.r0:u8=1,2,3,4 --print MPU0.RFH0.VRF0.r2 --stats csv:s.csv
grep '^messages' s.csv
try mpu-run --target racer -Wno-messages ring.s
try mpu-run --target racer --set control.queue=2 ring.s
try mpu-run --target golden --set deadlock=stop ring.s
cat >line.s <<'S'
        .geometry grid=[12]
        .mpu 0, last
        .mpu 1..10, line
        .mpu 11, any
last:   HALT
line:   RECV MPU-1
any:    JUMP_ANY any
S
try mpu-run --target golden line.s
cat >left.s <<'S'
main:   SEND MPU0
        MOVE RFH0 RFH0
        MOVE_DONE
        SEND_DONE
S
try mpu-run --target golden left.s
try mpu-run --target golden -Werror=messages left.s
