// A sparse matrix (compressed rows) times a vector: a thread a row, and a warp a row.
__global__ void spmv_thread(const int *first, const int *columns, const double *values, const double *x,
                            double *y, int rows) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows)
        return;
    double sum = 0;
    for (int e = first[r]; e < first[r + 1]; e++)
        sum += values[e] * x[columns[e]];
    y[r] = sum;
}

__global__ void spmv_warp(const int *__restrict__ first, const int *__restrict__ columns,
                          const float *__restrict__ values, const float *__restrict__ x,
                          float *__restrict__ y, int rows) {
    int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    float sum = 0;
    if (r < rows)
        for (int e = first[r] + lane; e < first[r + 1]; e += 32)
            sum += values[e] * x[columns[e]];
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, d);
    if (lane == 0 && r < rows)
        y[r] = sum;
}
