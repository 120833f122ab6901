# A target may have any number of micro-ops: racer with a hundred more.
# no pipe: the target is a file of its own
{
    printf 'schema: 1\nname: many\nextends: racer\nops:\n'
    for i in $(seq 100); do
        echo "  N$i: { in: [a, b], out: d, fn: \"!(a | b)\", preset: included, energy: e_column, where: \"section(a) == here && section(b) == here && section(d) == here && class(d) != buffer\" }"
    done
} >many.yaml
mpu-recipe verify --target many.yaml --op ADD --op XOR --width 8
mpu-run --target many.yaml --check --in a=2 --in x=1,2,3 --in y=4,5,6 --print z "$EXAMPLES/axpy.ez"
