try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
. ./npy.sh
npy good.npy '<i4' '(2,)' '\1\0\0\0\2\0\0\0'
npy short.npy '<i4' '(2,)' '\1\0\0\0\2\0'
npy long.npy '<i4' '(2,)' '\1\0\0\0\2\0\0\0\3\0\0\0'
npy wrong-type.npy '<f4' '(2,)' '\1\0\0\0\2\0\0\0'
npy wide.npy '<i8' '(2,)' '\1\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0'
npy unsigned.npy '<u4' '(2,)' '\1\0\0\0\2\0\0\0'
npy complex.npy '<c8' '(1,)' '\1\0\0\0\2\0\0\0'
npy object.npy '|O' '(2,)' '\1\0\0\0\2\0\0\0'
npy matrix.npy '<i4' '(1, 2)' '\1\0\0\0\2\0\0\0'
npy one.npy '<i4' '()' '\1\0\0\0'
npy huge.npy '<i4' '(99999999999, 99999999999)' '\1\0\0\0'
printf 'NUMPY' >text.npy
: >empty.npy
head -c 9 good.npy >cut.npy
printf 'P5 2 2 255\n\001\002\003' >short.pgm
printf 'P5 2 2 70000\n\001\002\003' >deep.pgm
printf '1 2\n3\n' >ragged.csv
printf '1,2,x\n' >letters.csv
printf '1 2 3\n' >three.txt
printf '\1\0\0\0\2\0\0' >short.raw
printf 'x' >what.xyz
for f in good short long wrong-type wide unsigned complex object matrix one huge text empty cut; do
    try mpu-run --target golden --size n=2 --in a=1 --in y=1,1 --in x=$f.npy axpy.ez
done
for f in short.pgm deep.pgm ragged.csv letters.csv three.txt short.raw what.xyz axpy.ez; do
    try mpu-run --target golden --size n=2 --in a=1 --in y=1,1 --in x=./$f axpy.ez
done
