# Numbers without a shape of their own, a list or one row of a CSV, take the variable's: an extent that is not
# known is what divides their number. Hexadecimal floats, and integers of other types whose values fit.
try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
cat >rows.py <<'END'
from __future__ import annotations
import numpy as np

N = 4096
H = 2
W = 5

def rows(x: u8[N], y: u8[H, 3], z: u8[W, H, 3]) -> u8[N]:
    return x + y[1, 2] + z[0, 1, 2]
END
printf '1,2,3,4\n' >row.csv
printf '1,2,3,4,5,6\r' >six.csv
try mpu-run --target golden --in x=row.csv --in y=six.csv --in z=six.csv --print result rows.py
try mpu-run --target golden --in x=1,2,3 --in y=1,2,3,4,5,6,7,8,9 --in z=zeros --print result rows.py
try mpu-run --target golden --in x=1 --in y=six.csv --in z=zeros -D H=3 --print result rows.py
cat >rows.ez <<'END'
size n;
size h = 2;
group g[n];
group p[h, 3];
in  x: f32 @ g;
in  y: u8 @ p;
out a: f32 @ g;
out b: u8 @ p;
main {
    compute g { a = x + 0x1p-1; }
    compute p { b = y + 1; }
}
END
printf '0x1.8p3,-0x1p-1,36893488147419103232\r1,2,3\r' >two.csv
try mpu-run --target golden --in x=0x1.8p3,-0x1p-1,36893488147419103232 --in y=six.csv --print a --print b rows.ez
try mpu-run --target golden --in x=two.csv --in y=six.csv --print a rows.ez
try mpu-run --target golden --in x=1 --in y=1,2,3,4,5,6,7,8,9 --print b --size h=3 rows.ez
try mpu-run --target golden --in x=1 --in y=1,2,3,4,5,6,7 --print b rows.ez
. ./npy.sh
npy wide.npy 'int64' '(2, 3)' '\1\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0\4\0\0\0\0\0\0\0\5\0\0\0\0\0\0\0\6\0\0\0\0\0\0\0and more'
npy below.npy '<i2' '(2, 3)' '\1\0\2\0\3\0\4\0\5\0\377\377'
try mpu-run --target golden --in x=1 --in y=wide.npy --print b rows.ez
try mpu-run --target golden --in x=1 --in y=wide.npy --expect b=wide.npy rows.ez
try mpu-run --target golden --in x=1 --in y=below.npy --print b rows.ez
