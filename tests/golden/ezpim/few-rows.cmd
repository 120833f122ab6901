# no pipe: the file is read several times
# A lane has fewer rows than registers have bits: told by the compiler where --rows says how many,
# and by the linker, for the target at hand.
try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
try ezpim -g -o few-rows.mpu few-rows.ez
try mpu-ld --target mimdram -o x.mpu few-rows.mpu
try mpu-ld --target racer -o x.mpu few-rows.mpu
try ezpim --rows 1000 -o y.mpu few-rows.ez
try ezpim --rows 0 -o y.mpu few-rows.ez
try ezpim -fspill --rows 400 -o y.mpu few-rows.ez
