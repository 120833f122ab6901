try() {
    echo "$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
try mpu-recipe check no-such.recipe
try mpu-recipe check .
try mpu-recipe diff racer no-such.recipe
try mpu-recipe count --op XOR xor.recipe -o no/such/x.csv
try mpu-recipe verify --op XOR --width 2 --emit-smt no/such/dir xor.recipe
try mpu-recipe @no-such.rsp
