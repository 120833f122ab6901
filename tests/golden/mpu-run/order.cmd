# Ensembles in an order that the paper allows: a hazard is named, MPU_SYNC removes it.
try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
cat >race.s <<'S'
        .group g[100]
        .var in x: u16 @g = r0
        .var out y: u16 @g = r1
        .var out z: u16 @g = r2
main:   COMPUTEG @g
        INC.16 r0 r1
        COMPUTE_DONE
        COMPUTEG @g
        ADD.16 r0 r1 r2
        COMPUTE_DONE
        HALT
S
sed '7s/$/\n        MPU_SYNC/' race.s >fenced.s
for seed in 0 2; do
    try mpu-run --target racer race.s --in x=iota --set control.order=paper --set control.order_seed=$seed --print z[0:4]
    try mpu-run --target racer race.s --in x=iota --set control.order=paper --set control.order_seed=$seed --check
    try mpu-run --target racer fenced.s --in x=iota --set control.order=paper --set control.order_seed=$seed --check --print z[0:4]
done
try mpu-run --target racer race.s --in x=iota --set control.order=any
try mpu-run --target racer race.s --in x=iota --set control.order=paper --set control.order_seed=2 --max-cycles 3
rm race.s fenced.s
