try() {
    echo "$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
try mpu-recipe
try mpu-recipe chek
try mpu-recipe nothing-like-it
try mpu-recipe count --op ADD --long
try mpu-recipe verify --csv
try mpu-recipe expand
try mpu-recipe count --op
try mpu-recipe count --op ADD,ADDD
try mpu-recipe count --op qqqqqqqqqq
try mpu-recipe count --op JUMP
try mpu-recipe count --op LUT
try mpu-recipe count --op ""
try mpu-recipe count --width 0
try mpu-recipe count --width 65
try mpu-recipe count --width 9..8
try mpu-recipe count --width 8,x
try mpu-recipe count --imm 5000
try mpu-recipe count --alias rd=r1
try mpu-recipe count --alias rd=rd
try mpu-recipe verify --seed many
try mpu-recipe verify --prove --timeout 0
try mpu-recipe verify --solver z3
try mpu-recipe count a.recipe b.recipe
try mpu-recipe count --mapped a.recipe
try mpu-recipe diff racer
try mpu-recipe diff racer mapped golden
try mpu-recipe diff racer mapped --target racer,golden
try mpu-recipe count --target racer,,golden
try mpu-recipe count --widht 8
