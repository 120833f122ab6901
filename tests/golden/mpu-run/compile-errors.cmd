try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
printf 'group g[4];\nin x: u8 @ g;\nout z: u8 @ g;\nmain { compute g { z = xx; } }\n' >bad.ez
printf 'main: ADDD r1 r2 r3\n' >bad.s
try mpu-run --target racer bad.ez
try mpu-run --target racer bad.s
try mpu-run --target racer --diagnostics=json bad.s
