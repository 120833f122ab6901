// HIST: counts of values in 64 bins between two bounds, in shared memory first.
#define BINS 64
__global__ void hist(const float *x, int *bins, int n, float low, float high) {
    __shared__ int counts[BINS];
    if (threadIdx.x < BINS)
        counts[threadIdx.x] = 0;
    __syncthreads();
    float scale = BINS / (high - low);
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        int bin = (int)((x[i] - low) * scale);
        if (x[i] >= low && bin < BINS)
            atomicAdd(&counts[bin], 1);
    }
    __syncthreads();
    if (threadIdx.x < BINS)
        atomicAdd(&bins[threadIdx.x], counts[threadIdx.x]);
}
