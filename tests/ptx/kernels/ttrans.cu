// TTRANS: [planes][rows][columns] to [planes][columns][rows] in tiles of 32 x 32, by 32 x 8 threads.
__global__ void ttrans(const float *in, float *out, int rows, int columns) {
    __shared__ float tile[32][33];
    size_t plane = (size_t)blockIdx.z * rows * columns;
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        if (x < columns && y + j < rows)
            tile[threadIdx.y + j][threadIdx.x] = in[plane + (size_t)(y + j) * columns + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        if (x < rows && y + j < columns)
            out[plane + (size_t)(y + j) * rows + x] = tile[threadIdx.x][threadIdx.y + j];
}
