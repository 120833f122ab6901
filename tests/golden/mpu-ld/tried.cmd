# Recipes of the program's own: the forms that it has are tried before anything runs.
# no pipe: the file is the point
try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
program() {
    cat >tried.s <<ASM
main:
  COMPUTE RFH0 VRF0
  XOR.$1 r1 r2 r3
  XOR.$1 r4 r5 r6
  ADD.37 r1 r2 r3
  XOR.$1 r1 r2 r1
  SETMASK r1
  XOR.$1 r1 r2 r3
  COMPUTE_DONE
  HALT
ASM
    mpu-as tried.s -o tried.o
}
program 37
try mpu-ld --target racer --recipe-file wrong-37.recipe tried.o -o tried.mpu
program 36
try mpu-ld -v --target racer --recipe-file wrong-37.recipe -Map=tried.map tried.o -o tried.mpu 2>&1 | grep -v bytes >&2
grep tested tried.map
# All of a target's recipes, if it is one's own; none of a built-in one's.
printf 'schema: 1\nname: own\nextends: racer\n' >own.yaml
mpu-ld --target ./own.yaml,racer -Map=tried.map tried.o -o tried.mpu && grep -e '^package' -e tested tried.map
rm -f tried.s tried.o tried.mpu tried.map own.yaml
