try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
cat >k.s <<'S'
        .group g[2]
        .value k: u8[9] = 1, 2, 1, dup(5, 7), 255
        .value s: i32
        .value w: i16[2, 3]
        .value b: bool = 1
        .value x: u64 = 18446744073709551615
        .var out y: i32 @g = r2
        .var out z: i16[2] @g = r4
        .var out q: u64 @g = r12
        .width 32
        COMPUTEG @g
        LI value(k[8]) r2
        LI value(s) r3
        LIK1 value(s) r3
        LIK2 value(s) r3
        ADD r2 r3 r2
        LI value(b) r3
        ADD r2 r3 r2
        LI.16 value(w[0, 0]) r4
        LIK1.16 value(w[0, 0]) r4
        LI.16 value(w[1, 2]) r5
        LIK1.16 value(w[1, 2]) r5
        LI.64 value(x) r12
        LIK1.64 value(x) r12
        LIK2.64 value(x) r12
        LIK3.64 value(x) r12
        LIK4.64 value(x) r12
        LIK5.64 value(x) r12
        COMPUTE_DONE
        HALT
S
printf '1,2,3\n4,5,6\n' >w.csv
printf '\001\002\003\004\005\006\007\010\011' >k.raw
show="--print y --print z --print q"
for t in golden racer mimdram duality-cache simdram; do
    mpu-run --target $t k.s --in s=-123456 --in w=-32768,0,0,0,0,32767 $show
done
try mpu-run --target racer k.s --check --in s=5 --in w=w.csv --in k=k.raw --in x=0 --in b=0 $show
try mpu-run --target golden k.s --in s=random:3 --in w=zeros --in k=iota $show
try mpu-run --target golden k.s --in s=1
try mpu-run --target golden k.s --in s=1,2
try mpu-run --target golden k.s --in s=2147483648
try mpu-run --target golden k.s --in w=1,2,3,4,5
try mpu-run --target golden k.s --in k=1,2,3,4,5,6,7,8,256
try mpu-run --target golden k.s --in s=1 --in w=zeros --in k=iota --print k
# The package of the file serves the values that it was made for.
sed 's/s: i32/s: i32 = 5/; s/w: i16\[2, 3\]/&  = dup(6, 0)/' k.s >fixed.s
mpu-as fixed.s && mpu-ld --target racer -o fixed.mpu fixed.o
try mpu-run --target racer fixed.mpu --print y
try mpu-run --target racer fixed.mpu --print y --in s=5
try mpu-run --target racer fixed.mpu --print y --in s=6
mpu-run --target racer k.s --in s=5 --in w=zeros --stats=json:s.json && grep -c '"name": "[sw]"' s.json
try mpu-run --rerun s.json
