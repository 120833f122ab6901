# no pipe: the program is a named file
# The place of a package in the file holds, unless another one is asked for; several are runs side by side.
try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
in="--size n=4096 --in a=3 --in x=iota --in y=random:1"
place() { sed -n '/^place/,/^$/p'; }
ezpim --target racer --size n=4096 --place packed -o x.mpu "$EXAMPLES/axpy.ez"
run="mpu-run --target racer x.mpu $in"
try $run --stats text:full | place
try $run --place packed --stats text:full | place
try $run --place spread --stats text:full | place
try $run --place measure --stats csv:places.csv --print 'z[0:4]'
cut -d, -f1,3,14,15,16,17 places.csv
try $run --place auto,packed --stats json:places.json
grep -E '"(place|asked|chosen|rows_per_mpu)|results' places.json
try mpu-run --rerun places.json
try $run --place nowhere
try $run --place packed,packed
try $run --place packed,measure
try $run --place ''
rm -f x.mpu places.csv places.json
