# The gates of this target do not make every function.
cp "$EXAMPLES/technology/and-or.yaml" .
try() {
    echo "$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
try mpu-recipe check --target and-or.yaml
try mpu-recipe check --target and-or.yaml --op XOR,OR
try mpu-recipe check --target and-or.yaml --op AND,OR --width 8
try mpu-recipe count --target and-or.yaml --width 4 --op MOV,OR
mpu-recipe count --target and-or.yaml --width 4 | tail -n 1 | cut -c1-72
try mpu-recipe expand --target and-or.yaml --op XOR
try mpu-recipe verify --target and-or.yaml --op INV --width 4
try mpu-recipe diff and-or.yaml mapped --op OR --width 4
# Commands with many variants are named once.
cat >pairs.yaml <<'YAML'
schema: 1
name: pairs
extends: mimdram
groups: { B8: null, B9: null, B12: null, B13: null, B14: null, B15: null }
ops: { AP: null }
YAML
try mpu-recipe check --target pairs.yaml
rm and-or.yaml pairs.yaml
