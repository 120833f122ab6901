# The gates of this target do not make every function.
try() {
    echo "$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
try mpu-recipe count --target or-only.yaml --width 4 --op MOV,OR
mpu-recipe count --target or-only.yaml --width 4 | tail -n 1 | cut -c1-78
try mpu-recipe count --target or-only.yaml --op MOV,XOR 2>&1 | sed "s|^recipes/.*: error|PLACE: error|" >&2
try mpu-recipe check --target or-only.yaml --op INV 2>&1 | sed "s|^recipes/.*: error|PLACE: error|" >&2
try mpu-recipe diff or-only.yaml mapped --op OR --width 4
