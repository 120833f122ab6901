# -x says what sources are, whatever their suffix; - is standard input.
try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
cat >axpy.txt <<'END'
size n;
group g[n];
in a: i32;
in x: i32 @ g;
out y: i32 @ g;
main { compute g { y = a * x; } }
END
cat >twice.txt <<'END'
        .group g[4]
        .var in  x: u8 @ g = r0
        .var out y: u8 @ g = r1
        COMPUTEG @g
        ADD.8 r0 r0 r1
        COMPUTE_DONE
END
cat >kernel.txt <<'END'
from __future__ import annotations
import numpy as np
N = 4
def one(x: i32[N]) -> i32[N]:
    return x + 1
def two(x: i32[N]) -> i32[N]:
    return x + 2
END
try mpu-run --target golden -x ez --in a=2 --in x=1,2,3 --print y - <axpy.txt
try mpu-run --target golden --in a=2 --in x=1,2,3 --print y - <axpy.txt
try mpu-run --target golden -xez --in a=2 --in x=1,2,3 --print y axpy.txt
try mpu-run --target golden -x s --in x=1,2,3,4 --print y - <twice.txt
try mpu-run --target golden -x py --entry two --in x=1,2,3 --print result - <kernel.txt
try mpu-run --target golden -x py --entry two -D N=2 --in x=iota --print result kernel.txt
try mpu-run --target golden -x ez --in x=1,2,3,4 --print y - <twice.txt
try mpu-run --target golden -x basic --in x=1,2,3,4 --print y - <twice.txt
try mpu-run --target golden --in a=2 --print y axpy.txt
# A record of it cannot be repeated.
mpu-run --target golden -x py --entry one --in x=1,2 --stats json:s.json - <kernel.txt
try mpu-run --rerun s.json
