try() {
    echo "$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
try mpu-recipe count --op SHLI --imm 64
try mpu-recipe count --op LIK5 --width 8,16
try mpu-recipe count --op QRDIV --alias rd=rt
