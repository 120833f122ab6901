try() {
    echo "$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
try ezpim -o parts.mpu parts.ez
try ezpim -c -o axpy.o axpy.ez
try ezpim --emit=signature axpy.ez
printf 'group g[4];\nsub f(x: u8): u8 { return x; }\n' >groups.ez
try ezpim -c -o groups.o groups.ez
printf 'sub f(x: u8[17]): u8 { return x[0]; }\n' >many.ez
try ezpim -c -o many.o many.ez
printf 'const K = 3;\n' >nothing.ez
try ezpim -c -o nothing.o nothing.ez
ezpim --emit=signature parts.ez | sed 's/ clobbers r0, r1, r3//' >parts.inc.ez
ezpim -c -o parts.o parts.ez && ezpim -c -o user.o parts-user.ez
try mpu-ld -o user.mpu user.o parts.o
