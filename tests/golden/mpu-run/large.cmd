# Whole numbers from 2^64 on are constants of floating point, in kernels, in ezpim and in assembly.
cat >large.py <<'END'
from __future__ import annotations
import numpy as np

BIG = 18446744073709551616

def large(x: f32[2], z: f64[2]) -> f64[2]:
    y = x * np.float32(2**70) + np.float32(0x1_0000_0000_0000_0000)
    return y.astype(np.float64) + z * np.float64(BIG) + 1e30
END
mpu-run --target golden --in x=0,-0x1p-6 --in z=1,2 --print result large.py
cat >large.ez <<'END'
const BIG = 18446744073709551616;
group g[2];
out y: f64 @ g;
out w: f32 @ g;
main { compute g { y = BIG + 0x1p+64; w = 340282346638528859811704183484516925440; } }
END
mpu-run --target golden --print y --print w large.ez
cat >large.s <<'END'
        .group g[2]
        .var inout x: f32 @g = r0
        .data x = 18446744073709551616, -0x1.8p-3
        HALT
END
mpu-run --target golden --print x large.s
# Digits in groups, as whole numbers have them.
cat >groups.s <<'END'
        .group g[3]
        .var inout x: f32 @g = r0
        .data x = 1_000.5, -0x1_0.8p0, 1_2.5e-0_1
        HALT
END
mpu-run --target golden --print x groups.s
