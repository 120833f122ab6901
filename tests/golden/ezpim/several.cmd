# no pipe: the files include each other by name
try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
try ezpim -o together.mpu several-main.ez several-data.ez
mpu-run --target golden together.mpu --in x=1,2,3 --size n=3 --out y=y.csv && cat y.csv
try ezpim -o order.mpu several-data.ez several-main.ez several-data.ez
mpu-run --target golden order.mpu --in x=1,2,3 --size n=3 --out y=y.csv && cat y.csv
try ezpim -o part.mpu several-main.ez
try ezpim -o twice.mpu several-main.ez several-data.ez several-twice.ez
try ezpim -o missing.mpu several-main.ez no-such.ez
