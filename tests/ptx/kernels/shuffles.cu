// Sums, the largest element and a vote, by exchange within warps.
__global__ void warp_sums(const float *x, float *sums, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = i < n ? x[i] : 0;
    for (int d = 16; d > 0; d >>= 1)
        v += __shfl_xor_sync(0xffffffff, v, d);
    if (threadIdx.x % 32 == 0)
        sums[i / 32] = v;
}

// The sums up to each lane, within its warp.
__global__ void warp_scan(const int *x, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    int v = i < n ? x[i] : 0;
    for (int d = 1; d < 32; d *= 2) {
        int other = __shfl_up_sync(0xffffffff, v, d);
        if (lane >= d)
            v += other;
    }
    if (i < n)
        out[i] = v;
}

// Elements above the bound, packed to the front of each warp's part; how many there are.
__global__ void warp_pack(const int *x, int *out, int *counts, int n, int bound) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, warp = i / 32;
    bool keep = i < n && x[i] > bound;
    unsigned kept = __ballot_sync(0xffffffff, keep);
    if (keep)
        out[warp * 32 + __popc(kept & ((1u << lane) - 1))] = x[i];
    if (lane == 0)
        counts[warp] = __any_sync(1, kept != 0) ? __popc(kept) : 0;
}

// Element i of each group of 8 gets the value of lane i / 2 of that group.
__global__ void warp_spread(const double *x, double *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double v = __shfl_sync(0xffffffff, i < n ? x[i] : 0.0, i % 8 / 2, 8);
    if (i < n)
        out[i] = v;
}
