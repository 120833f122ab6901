# no pipe: the file is the point
# A file of which nothing was checked is no success.
try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
printf 'recipe INV(a) -> d   any w   needs NOR   arith compat, flush\n{ for j in 0 .. w-1 { d[j] = NOR(a[j], a[j]) } }\n' >other.recipe
printf 'recipe INV(a) -> d   any w   for pypim\n{ anything }\n' >foreign.recipe
try mpu-recipe check other.recipe --width 8
try mpu-recipe check other.recipe --width 8 --op INV --set arith=compat
try mpu-recipe check foreign.recipe --width 8 --op INV
try mpu-recipe check other.recipe --width 8 --op ADD --set arith=flush
rm -f other.recipe foreign.recipe
