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
mpu-run --target golden --in x=missing.npy --in y=iota --print z add.py
ezpim -o add.mpu add.py
mpu-run --target golden --in x=1,2 --in y=iota --print z add.mpu
