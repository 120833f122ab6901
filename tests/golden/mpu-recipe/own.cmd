# Instructions of one's own by the names that their file gives them
# no pipe: the file is the point
try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
try mpu-recipe check --op AVG avg.recipe
mpu-recipe count --op AVG,ADD --width 8 avg.recipe | cut -c 1-40
mpu-recipe count --op USER_C0 --width 8 --csv avg.recipe | cut -d, -f 1-4
mpu-recipe expand --op AVG --width 2 avg.recipe | head -n 1
try mpu-recipe verify --op avg --width 3 avg.recipe
mpu-recipe diff --op AVG --width 8 avg.recipe avg.recipe | tail -n 1
try mpu-recipe count --op AVH avg.recipe
try mpu-recipe count --op AVG
