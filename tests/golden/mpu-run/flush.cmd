# Floats without subnormal numbers: every machine and golden alike, and contracts of one's own go by it, too
# no pipe: the file is the point
cat >tiny.s <<'S'
        .group g[6]
        .var in x: f32 @g = r0
        .var in y: f32 @g = r1
        .var out sum: f32 @g = r2
        .var out product: f32 @g = r3
        .var out less: u32 @g = r4
        .var out smaller: f32 @g = r5
        .var out half: f16 @g = r7
main:   COMPUTEG @g
        FADD.32 r0 r1 r2
        FMUL.32 r0 r1 r3
        INIT0 r4
        FCMPLT.32 r0 r1
        GETC.1 r4
        FMIN.32 r0 r1 r5
        CVT.16 r0 from_f32 r7
        COMPUTE_DONE
        HALT
S
tiny() {
    echo "--- $*"
    mpu-run -Wno-recipe-table tiny.s --in x=1e-45,-1e-39,1.5e-38,1.1754944e-38,6e-5,-inf --in y=0,1e-39,-1.2e-38,0.99999994,1,2 \
        --print sum --print product --print less --print smaller --print half "$@"
}
tiny --target golden
tiny --target golden --set arith=flush
tiny --target racer --set arith=flush --check
tiny --target mimdram --set arith=flush --check
cat >own.recipe <<'S'
instruction OWN(a, b) -> d   opcode 0xC0
{
  computes d == fmul(a, b)
}
S
sed 's/^main:/        .recipe "own.recipe"\nmain:/; s/FADD/OWN/' tiny.s >own.s
for arith in exact flush; do
    mpu-run own.s --target golden --set arith=$arith --in x=1e-39,1,2,3,4,5 --in y=2,2,2,2,2,2 --print sum
done
mpu-recipe verify --target racer --op FCMPEQ,FMIN,FZERO --width 16 --set arith=flush
rm tiny.* own.*
