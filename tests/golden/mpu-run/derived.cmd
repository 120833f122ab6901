try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
# Every fourth element is added to z; then 1 is added min(n / 2, 3) times; w is the derived size.
cat >fold.s <<'S'
        .size n
        .size h = (n + 3) / 4
        .group g[n]
        .group q[(n + 3) / 4] like g
        .var in x: u32 @g = r2
        .var in z: u32 @q = r5
        .var out y: u32 @q = r3
        .var out w: i32 @q = r6
        .move fold u32 y[i] = x[4 * i] else 0
        .width 32
        GMOVE fold
        COMPUTEG @q
        ADD r3 r5 r3
        LI size(5 - h) r6
        LIK1 size(5 - h) r6
        LIK2 size(5 - h) r6
        COMPUTE_DONE
        REPEAT size(min(n / 2, 3))
        COMPUTEG @q
        INC r3 r3
        COMPUTE_DONE
        REPEAT_END
        HALT
S
try mpu-run --target golden fold.s --in x=0,1,2,3,4,5,6,7,8 --in z=100,200,300 --print y --print w
# The array of a derived extent may come first, and a default may decide.
try mpu-run --target golden fold.s --in z=100,200 --in x=0,1,2,3,4,5,6,7 --print y
try mpu-run --target golden fold.s --in x=0,1,2,3,4,5,6,7 --in z=100,200,300
try mpu-run --target golden fold.s --in z=100,200,300 --in x=0,1,2,3,4,5,6,7
sed 's/\.size n$/.size n = 9/' fold.s >nine.s
try mpu-run --target golden nine.s --in z=100,200,300 --in x=iota --print y
try mpu-run --target golden nine.s --in z=100,200,300,400
try mpu-run --target golden fold.s --in x=iota --in z=iota
try mpu-run --target golden fold.s --in x=iota --in z=iota --size h=3
sed 's/n + 3) \/ 4\]/n - 3) \/ 4]/' fold.s >less.s
try mpu-run --target golden less.s --in x=iota --in z=iota --size n=3
try mpu-run --target golden less.s --in x=1,2 --in z=1
try mpu-run --target golden,racer,mimdram,duality-cache,simdram fold.s --in x=random:1 --in z=random:2 \
    --size n=1,63,64,65,511,513,10007 >table
echo "$(grep -c done table) runs"
mpu-run --target golden fold.s --in x=random:1 --in z=random:2 --size n=513 --stats=json | grep -A2 '"size"'
