# What a constant decides not to count is not evaluated: 100 / N of N = 0.
cat >decided.ez <<'END'
const N = 0;
const FIRST = select(N == 0, 5, 100 / N);
const SECOND = select(N != 0, 100 % N, 6);
const NEITHER = N != 0 && 100 / N > 3;
const EITHER = N == 0 || 1 << 200 > N;
group g[2];
out y: u32 @ g;
main {
    compute g { y = select(NEITHER, 1, FIRST) + select(EITHER, SECOND, 2); }
    if (N != 0 && 100 / N > 3) { compute g { y = 0; } }
    compute g { if (N == 0 || y / u32(100 / N) > 3) { y = y + 100; } }
}
END
mpu-run --target golden --print y decided.ez
cat >decided.py <<'END'
from __future__ import annotations
import numpy as np

N = 0
FIRST = 5 if N == 0 else 100 // N
NEITHER = N != 0 and 100 // N > 3
EITHER = N == 0 or 1 << 200 > N

def decided() -> u32[2]:
    y = np.full(2, FIRST, dtype=np.uint32)
    if EITHER and not NEITHER:
        y = y + 100
    return y
END
mpu-run --target golden --print y decided.py
