try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
. ./npy.sh
sed 's/^ *CMPEQ.32 x, w/CMPGT.32 x, w/; s/ASSERT.*/NOP/; /[.]show/d' real.s >go.s
in='--in x=1.5,2,-inf,nan --in b=1.5,-0,3.39e38,1e-40 --in h=1,2,3,4,5,6,7,0.1 --in d=0.1,1e-320,1e308,-5'
try mpu-run --target racer,mimdram go.s $in --print y --print c --print p --print e --stats json:t.json
try mpu-run --target golden go.s $in --print RFH0.VRF0.r0:f32 --in k=1,1e-3 --out y=y.csv --out c=c.npy --out e=e.raw --out p=p.npy
cat y.csv
for f in c.npy p.npy; do tail -c +11 $f | strings; done
# Arrays of another type: every number must be one of the variable's.
npy i4.npy '<i4' '(2,)' '\1\0\0\0\377\377\377\377'
npy i4big.npy '<i4' '(2,)' '\1\0\0\0\1\0\0\1'
npy f8.npy '<f8' '(2,)' '\0\0\0\0\0\0\370\77\0\0\0\0\0\0\360\377'
npy f8tenth.npy '<f8' '(2,)' '\0\0\0\0\0\0\370\77\232\231\231\231\231\231\271\77'
npy f8big.npy '<f8' '(2,)' '\0\0\0\0\0\0\370\77\0\0\0\0\0\0\360\107'
npy v2.npy '<V2' '(2,)' '\200\77\301\177'
npy v2bare.npy '|V2' '(2,)' '\200\77\300\300'
printf 'P5 2 1 255\n\001\377' >picture.pgm
printf '1.00000006\n# no more\n0x10\n' >text.csv
printf '\200\77\1\200' >two.raw
rest='--in b=zeros --in h=zeros --in d=zeros --size n=2'
for f in i4.npy i4big.npy f8.npy f8tenth.npy f8big.npy v2.npy v2bare.npy text.csv; do
    try mpu-run --target golden go.s --in x=$f $rest --print y
done
try mpu-run --target golden go.s --in x=zeros --in h=zeros --in d=zeros --size n=2 --in b=two.raw --print c
try mpu-run --target golden go.s --in x=zeros --in h=zeros --in d=iota --size n=2 --in b=v2.npy --print c --print e --out c=c.npy
od -An -tx1 -j 128 c.npy
try mpu-run --target golden go.s --in x=random:1 --in h=random:2 --in d=random:3:-1e3..1e3 --size n=2 --in b=random:4:0..1 --print y --print p --print e --print c
for data in 1,1e39 random:1:0..1e39 random:1:1..0 1,2x 1,two inf,-nan; do
    try mpu-run --target golden go.s --in x=$data $rest --print y
done
try mpu-run --target golden go.s --in x=zeros --in b=zeros --in h=iota --in d=zeros --size n=1025
try mpu-run --target golden go.s --in x=1,2 $rest --in RFH0.VRF1.r0=f8.npy
try mpu-run --target golden go.s --in x=1,2 $rest --in RFH0.VRF1.r0=1.5
try mpu-run --target golden go.s --in x=1,2 $rest --in RFH0.VRF1.r2:f64=1.5
try mpu-run --target golden go.s --in x=1,2 $rest --in RFH0.VRF1.r2:bf16=1.5 --print RFH0.VRF1.r2:bf16
# What is expected.
try mpu-run --target golden go.s $in --expect y=1.5,2,-inf,nan --expect c=1.5,-0,3.39e38,1e-40 --expect e=0.1,1e-320,1e308,-5
try mpu-run --target golden go.s $in --expect y=1.5000001,2.0000005,inf,0 --expect c=1.5,0,3.38e38,1.1e-40
try mpu-run --target golden go.s $in --ulp 2 --ulp c=0 --expect y=1.5000001,2.0000005,-inf,nan --expect c=1.5,0,3.39e38,1e-40
mpu-run -v --target racer go.s $in --ulp 2 --expect y=1.5000001,2.0000005,-inf,nan --expect c=1.5,0,3.39e38,1e-40 --stats json:s.json 2>&1 | grep 'at most'
tr -d ' \n' <s.json | sed 's/.*"expected":/"expected":/; s/,"by_component.*/\n/'
try mpu-run --target golden go.s $in --expect y=1,1e39,2,3
try mpu-run --target golden go.s --in x=1,2 $rest --expect y=f8tenth.npy
try mpu-run --target golden go.s --in x=1,2 $rest --ulp 1
try mpu-run --target golden go.s --in x=1,2 $rest --ulp z=1 --expect y=1,2
try mpu-run --target golden go.s --in x=1,2 $rest --ulp y=-1 --expect y=1,2
try mpu-run --target golden real.s $in
try mpu-run --target golden go.s $in --log-of 'g[1]' --log value:v.log; sed 's|  *$||' v.log
