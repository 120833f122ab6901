// PR where threads add up several numbers before their block does: a sum for each block.
__global__ void sums(const float *x, float *of_blocks, int n) {
    __shared__ float parts[256];
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        sum += x[i];
    parts[threadIdx.x] = sum;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (threadIdx.x < s)
            parts[threadIdx.x] += parts[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        of_blocks[blockIdx.x] = parts[0];
}
