try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
printf 'P5 1 1 255\nx' >picture.ez
printf 'P5 1 1 255\nx' >picture.s
printf '\223NUMPY\001\000' >array.ez
ezpim -o program.ez axpy.ez
ezpim -o program.s axpy.ez
try ezpim picture.ez
try ezpim picture.s
try ezpim array.ez
try ezpim program.ez
try ezpim program.s -c
try mpu-run --target racer program.ez
try mpu-run --target racer array.ez
