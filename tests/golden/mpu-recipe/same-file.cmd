# The output is no input.
try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
mpu-recipe expand --recipe --op AND --width 8 -o r.recipe
printf 'extends: racer\nname: mine\n' >t.yaml
try mpu-recipe check -o r.recipe ./r.recipe
try mpu-recipe count --op AND --target t.yaml -o ./t.yaml
try mpu-recipe diff racer ./t.yaml --op AND -o t.yaml
rm r.recipe t.yaml
