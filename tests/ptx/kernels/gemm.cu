// C = alpha A B + beta C in tiles of 16 x 16; the shape comes as one structure by value.
struct shape {
    int rows, inner, columns;
    float alpha, beta;
};

__global__ void gemm(const float *a, const float *b, float *c, const shape s) {
    __shared__ float ta[16][16], tb[16][16];
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < s.inner; k += 16) {
        int ka = k + threadIdx.x, kb = k + threadIdx.y;
        ta[threadIdx.y][threadIdx.x] = y < s.rows && ka < s.inner ? a[y * s.inner + ka] : 0;
        tb[threadIdx.y][threadIdx.x] = x < s.columns && kb < s.inner ? b[kb * s.columns + x] : 0;
        __syncthreads();
        for (int i = 0; i < 16; i++)
            sum += ta[threadIdx.y][i] * tb[i][threadIdx.x];
        __syncthreads();
    }
    if (x < s.columns && y < s.rows)
        c[y * s.columns + x] = s.alpha * sum + s.beta * c[y * s.columns + x];
}
