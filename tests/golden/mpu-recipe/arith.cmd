# Recipes of an arithmetic: which ones are taken, and what is said where there are none
# no pipe: the file is the point
try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
origin() {
    mpu-recipe expand --op INV --width 1 "$@" | head -n 1
}
origin arith.recipe
origin --set arith=flush arith.recipe
origin --set arith=compat arith.recipe
origin --set arith=serial arith.recipe
mpu-recipe expand --recipe --op INC --width 1 --set arith=flush arith.recipe | grep '^recipe'
mpu-recipe expand --recipe --op INV --width 1 --set arith=compat arith.recipe | grep '^recipe'
try mpu-recipe count --op INV --set arith=compat
try mpu-recipe count --op INV --target golden --set arith=compat
try mpu-recipe count --op INV --set arith=exakt
try mpu-recipe count --op INV --set arith
try mpu-recipe count --op INV --set =exact
sed 's/arith flush, compat/arith flash/' arith.recipe >bad.recipe
try mpu-recipe check bad.recipe
sed 's/for racer   arith compat/needs OR, NOR   arith compat/' arith.recipe >bad.recipe
try mpu-recipe check --op INV bad.recipe
try mpu-recipe check --set arith=compat bad.recipe
rm bad.recipe
