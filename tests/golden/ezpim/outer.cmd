# no pipe: several runs
# Types outside and inside: values are checked against the inner one and extended by its sign.
try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
ezpim -S -o - outer.ez | grep '\.var'
ezpim --emit=ir outer.ez | grep '^in\|^out'
for t in golden racer mimdram duality-cache; do
    try mpu-run --target $t outer.ez --in a=-2 --in x=1,2,63 --in t=1,2,3,4,5,31 --print y --print t --print s --print as
done
try mpu-run --target racer outer.ez --in a=256 --in x=1,2,63 --in t=1,2,3,4,5,31
try mpu-run --target racer outer.ez --in a=-2 --in x=1,2,64 --in t=1,2,3,4,5,31
try mpu-run --target racer outer.ez --in a=-2 --in x=1,2,3 --in t=1,2,3,4,5,32
try mpu-run --target racer outer.ez --in a=-2 --in x=random:7 --size n=4 --in t=random:9 --out y=y.npy --print x
try mpu-run --target golden outer.ez --in a=0 --in x=y.npy --in t=zeros
rm -f y.npy
