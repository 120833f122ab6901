# Machines of slots in rows: what their routines come to
# no pipe: the file is the point
try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
try mpu-recipe count --target pluto-bsa,pluto-gmc --op ADD,POPC,LUT --width 8,32
try mpu-recipe count --target racer,pluto-bsa --op ADD --width 8 --masked --csv
try mpu-recipe count --target pluto-bsa --op ADD --width 8 --slot 8,32 --csv
try mpu-recipe count --target pluto-bsa --op FADD
try mpu-recipe expand --target pluto-bsa --op CMPLT --width 8
try mpu-recipe expand --target pluto-bsa --op CMPLT --recipe
try mpu-recipe expand --target pluto-gsa --op SBOX --width 4,5 sbox-rows.recipe
try mpu-recipe count --target racer --op SBOX --width 4 --csv sbox-rows.recipe
try mpu-recipe expand --target pluto-bsa --op XOR bad-sbox.recipe
try mpu-recipe check --target pluto-bsa
