# no pipe: the program is a named file
# Packages with groups where they are asked to lie.
try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
cp "$EXAMPLES/axpy.ez" .
for p in packed spread auto; do
    try ezpim --target racer --size n=4096 --place $p -o x.mpu axpy.ez
    mpu-objdump --target racer x.mpu | grep -E '^  place|MPU[0-9]+ '
done
try ezpim --target racer --size n=4096 --place there -o x.mpu axpy.ez
try ezpim --place packed -o x.mpu axpy.ez
rm -f x.mpu axpy.ez
