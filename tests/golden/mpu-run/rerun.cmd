try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
printf '1,2,3\n' >x.csv
mpu-run --target golden --in a=2 --in x=x.csv --in y=4,5,6 --print z --stats json:run.json axpy.ez
try mpu-run --rerun run.json | sed 's/[0-9]* figures/N figures/'
sed 's/"instructions": 5/"instructions": 6/' run.json >other.json
try mpu-run --rerun other.json
printf '1,2,4\n' >x.csv
try mpu-run --rerun run.json 2>&1 | sed 's/[0-9a-f]\{64\}/HASH/' >&2
rm x.csv
try mpu-run --rerun run.json
try mpu-run --rerun axpy.ez
try mpu-run --rerun run.json --target racer
rm run.json other.json
