// PR: a sum for each block of twice as many numbers as it has threads.
__global__ void pr(const float *x, float *sums, int n) {
    __shared__ float parts[256];
    int i = blockIdx.x * blockDim.x * 2 + threadIdx.x;
    float sum = i < n ? x[i] : 0;
    if (i + blockDim.x < n)
        sum += x[i + blockDim.x];
    parts[threadIdx.x] = sum;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (threadIdx.x < s)
            parts[threadIdx.x] += parts[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        sums[blockIdx.x] = parts[0];
}
