// A matrix of two-byte numbers turned over, through a tile that a template declares.
template <typename T, int SIZE>
__device__ void turn(const T *in, T *out, int rows, int columns) {
    __shared__ T tile[SIZE][SIZE + 1];
    int x = blockIdx.x * SIZE + threadIdx.x, y = blockIdx.y * SIZE + threadIdx.y;
    if (x < columns && y < rows)
        tile[threadIdx.y][threadIdx.x] = in[y * columns + x];
    __syncthreads();
    x = blockIdx.y * SIZE + threadIdx.x;
    y = blockIdx.x * SIZE + threadIdx.y;
    if (x < rows && y < columns)
        out[y * rows + x] = tile[threadIdx.x][threadIdx.y];
}

__global__ void transpose_u16(const unsigned short *in, unsigned short *out, int rows, int columns) {
    turn<unsigned short, 16>(in, out, rows, columns);
}

__global__ void transpose_f64(const double *in, double *out, int rows, int columns) {
    turn<double, 16>(in, out, rows, columns);
}
