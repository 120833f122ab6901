// The sum of n numbers: threads add what lies a grid apart, warps by shuffles, blocks by an atomic.
__device__ int warp_sum(int value) {
    for (int d = 16; d > 0; d /= 2)
        value += __shfl_down_sync(0xffffffff, value, d);
    return value;
}

__global__ void reduce(const int *x, int *sum, int n) {
    __shared__ int warps[32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, value = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        value += x[i];
    value = warp_sum(value);
    if (lane == 0)
        warps[warp] = value;
    __syncthreads();
    if (warp == 0) {
        value = warp_sum(lane < (blockDim.x + 31) / 32 ? warps[lane] : 0);
        if (lane == 0)
            atomicAdd(sum, value);
    }
}
