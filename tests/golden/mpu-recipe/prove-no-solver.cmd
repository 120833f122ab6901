try() {
    echo "$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
try mpu-recipe verify --prove --solver no-such-solver --op XOR --width 8
