// How many of n bytes have each value: each block counts in shared memory, and adds its counts.
__global__ void histogram(const unsigned char *bytes, unsigned *bins, int n) {
    __shared__ unsigned counts[256];
    for (int b = threadIdx.x; b < 256; b += blockDim.x)
        counts[b] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&counts[bytes[i]], 1u);
    __syncthreads();
    for (int b = threadIdx.x; b < 256; b += blockDim.x)
        if (counts[b])
            atomicAdd(&bins[b], counts[b]);
}
