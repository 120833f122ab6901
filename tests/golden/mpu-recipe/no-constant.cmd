# A constant that no instruction takes is not passed over.
try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
try mpu-recipe count --op ADD --imm 3
try mpu-recipe expand --op AND,OR --imm 3
try mpu-recipe diff racer mapped --op ADD --imm 3
try mpu-recipe count --op ADD,ADDI --imm 3 --width 8 --csv
