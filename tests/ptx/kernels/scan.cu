// Sums of all numbers up to each: blocks of 512 after Blelloch, then what lies before each block.
__global__ void scan_blocks(const int *in, int *out, int *totals, int n) {
    __shared__ int t[512];
    int a = threadIdx.x, b = threadIdx.x + 256, base = blockIdx.x * 512;
    int va = base + a < n ? in[base + a] : 0, vb = base + b < n ? in[base + b] : 0;
    t[a] = va;
    t[b] = vb;
    int step = 1;
    for (int d = 256; d > 0; d /= 2, step *= 2) {
        __syncthreads();
        if (a < d)
            t[step * (2 * a + 2) - 1] += t[step * (2 * a + 1) - 1];
    }
    if (a == 0) {
        totals[blockIdx.x] = t[511];
        t[511] = 0;
    }
    for (int d = 1; d < 512; d *= 2) {
        step /= 2;
        __syncthreads();
        if (a < d) {
            int lower = step * (2 * a + 1) - 1, upper = step * (2 * a + 2) - 1, kept = t[lower];
            t[lower] = t[upper];
            t[upper] += kept;
        }
    }
    __syncthreads();
    if (base + a < n)
        out[base + a] = t[a] + va;
    if (base + b < n)
        out[base + b] = t[b] + vb;
}

__global__ void scan_add(int *out, const int *before, int n) {
    int i = blockIdx.x * 512 + threadIdx.x;
    int add = before[blockIdx.x];
    if (i < n)
        out[i] += add;
    if (i + 256 < n)
        out[i + 256] += add;
}
