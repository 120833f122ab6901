# Results of published routines: said once, and what --check makes of them
# no pipe: the file is the point
try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
cat >div.s <<'S'
        .group g[4]
        .var in x: i32 @g = r0
        .var in y: i32 @g = r1
        .var out z: i32 @g = r2
        .var out r: u32 @g = r3
main:   COMPUTEG @g
        SDIV.32 r0 r1 r2
        RDIV.32 r0 r1 r3
        SDIV.32 r0 r1 r2
        COMPUTE_DONE
        HALT
S
run() {
    try mpu-run -Wno-recipe-table --target pypim "$@" --in x=7,-7,5,-9 --in y=2,2,0,-4 --print z --print r div.s
}
run
run --set arith=compat
run --set arith=compat -Wno-compat --check 2>&1 | grep -v "so far" >&2
sed 's/r1 r2/r1 r2/;s/SDIV/ADD/' div.s >add.s
try mpu-run -Wno-recipe-table --target pypim --set arith=compat --check --in x=1,2,3,4 --in y=5,6,7,8 --print z add.s
rm div.s add.s
