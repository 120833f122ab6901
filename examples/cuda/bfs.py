"""Distances from node 0 of a graph by the kernel of bfs.cu, which is launched as long as it says that
something changed:  python3 bfs.py [TARGET]"""

import pathlib
import sys

import mpusim
import numpy as np

NODES, DEGREE = 1000, 3
random = np.random.default_rng(1)
first = np.arange(0, NODES * DEGREE + 1, DEGREE, dtype=np.int32)
# Edges go to nodes that lie less than 64 before or behind.
targets = ((np.repeat(np.arange(NODES), DEGREE) + random.integers(-64, 64, NODES * DEGREE)) % NODES).astype(np.int32)
distance = np.full(NODES, -1, np.int32)
distance[0] = 0

device = mpusim.device(sys.argv[1] if len(sys.argv) > 1 else "golden")
step = mpusim.module(pathlib.Path(__file__).with_suffix(".ptx"), device=device)["bfs_step"]
buffers = [mpusim.buffer(a, device=device) for a in (first, targets, distance)]
changed = mpusim.buffer(np.ones(1, np.int32), device=device)
level = 0
while changed.numpy()[0]:
    changed.put(0)
    step[-(-NODES // 128), 128](*buffers, changed, level, NODES)
    level += 1

# The same with NumPy, level by level.
seen, source = distance.copy(), np.repeat(np.arange(NODES), DEGREE)
for at in range(level):
    new = targets[seen[source] == at]
    seen[new[seen[new] < 0]] = at + 1
right = np.array_equal(buffers[2].numpy(), seen)
print(f"{level} launches, {'right' if right else 'wrong'}")
sys.exit(not right)
