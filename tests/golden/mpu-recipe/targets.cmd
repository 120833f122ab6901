try() {
    echo "$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
try mpu-recipe count --target raser
try mpu-recipe count --target ./no-such.yaml
try mpu-recipe count --target bad.yaml
try mpu-recipe count --target golden
try mpu-recipe check --target simt --op ADD xor.recipe
try mpu-recipe count --target slow.yaml --op XOR --width 8 xor.recipe
try mpu-recipe check --target slow.yaml --op XOR,SHLI xor.recipe
try mpu-recipe diff racer slow.yaml --op XOR --width 8
try mpu-recipe diff racer bad.yaml
