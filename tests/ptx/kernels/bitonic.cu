// Sorts each 512 numbers, in shared memory.
__global__ void bitonic(const unsigned *in, unsigned *out, int n) {
    __shared__ unsigned t[512];
    int i = threadIdx.x, at = blockIdx.x * 512 + i;
    t[i] = at < n ? in[at] : 0xffffffffu;
    for (int size = 2; size <= 512; size *= 2)
        for (int step = size / 2; step > 0; step /= 2) {
            __syncthreads();
            int other = i ^ step;
            if (other > i) {
                unsigned a = t[i], b = t[other];
                if ((a > b) == ((i & size) == 0)) {
                    t[i] = b;
                    t[other] = a;
                }
            }
        }
    __syncthreads();
    if (at < n)
        out[at] = t[i];
}
