// GEMV: y = A x, a block for each row.
__global__ void gemv(const float *a, const float *x, float *y, int columns) {
    __shared__ float parts[256];
    const float *row = a + (size_t)blockIdx.x * columns;
    float sum = 0;
    for (int c = threadIdx.x; c < columns; c += blockDim.x)
        sum += row[c] * x[c];
    parts[threadIdx.x] = sum;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s /= 2) {
        if (threadIdx.x < s)
            parts[threadIdx.x] += parts[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        y[blockIdx.x] = parts[0];
}
