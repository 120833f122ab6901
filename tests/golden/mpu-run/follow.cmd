# Constants of a kernel in Python that are whole extents follow the shapes of the inputs.
cat >add.py <<'EOF'
from __future__ import annotations
import numpy as np

N = 4
K = 3

def add(x: i32[N], y: i32[N, K]) -> i32[N, K]:
    z = y + x[:, np.newaxis]
    return z
EOF
mpu-run --target golden --in x=1,2 --in y=iota --print z add.py
printf '1,2\n3,4\n5,6\n' >y.csv
mpu-run --target golden,racer --in x=1,2,3 --in y=y.csv --print z add.py
mpu-run --target golden -D N=2 --in x=1,2,3 --in y=iota --print z add.py
mpu-run --target golden --in x=1,2,3 --in y=1,2 --print z add.py
mpu-run --target golden --in x=7 --in y=iota --print z add.py
mpu-run --target golden --in x=missing.npy --in y=iota --print z add.py
ezpim -o add.mpu add.py
mpu-run --target golden --in x=1,2 --in y=iota --print z add.mpu
# What is compiled names the constants that fit, where there are such.
mpu-run --target golden --in x=1,2 --in y=iota --print z -D N=5 add.py
cat >blur.py <<'END'
from __future__ import annotations
import numpy as np

N = 4
K = 3

def blur(x: i32[N, N], y: i32[N, K, 2], k: host_u8[K]) -> i32[N, N]:
    return x + y[:, 0:1, 0] * k[0].astype(np.int32)
END
ezpim -o blur.mpu blur.py
mpu-objdump -x blur.mpu | sed -n '/VARIABLES/,/^$/p'
printf '1,2\n3,4\n' >two.csv
printf '1,2,3\n4,5,6\n' >oblong.csv
try() {
    echo "\$ $*" >&2
    "$@"
    echo "exit $?" >&2
}
try mpu-run --target golden --in x=two.csv blur.mpu
try mpu-run --target golden --in x=oblong.csv blur.mpu
try mpu-run --target golden --in k=1,2,3,4,5 blur.mpu
try mpu-run --target golden --in y=1,2,3,4,5 blur.mpu
ezpim -S -o blur.s blur.py
grep constant blur.s
try mpu-run --target golden --in x=two.csv blur.s
try mpu-run --target golden --in x=two.csv --in y=zeros --in k=1,2,3 --print result blur.py
# From standard input it is the same.
try mpu-run --target golden -x py --in x=two.csv --in y=zeros --in k=1,2,3 --print result - <blur.py
