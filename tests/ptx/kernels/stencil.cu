// Seven points in three dimensions: planes of 16 x 8 in shared memory with a rim, along z in registers.
#define SX 16
#define SY 8
__global__ void stencil(const float *in, float *out, int nx, int ny, int nz, float c0, float c1) {
    __shared__ float plane[SY + 2][SX + 2];
    int x = blockIdx.x * SX + threadIdx.x, y = blockIdx.y * SY + threadIdx.y;
    int lx = threadIdx.x + 1, ly = threadIdx.y + 1;
    bool inside = x < nx && y < ny;
    int here = y * nx + x, step = nx * ny;
    float below = 0, centre = inside ? in[here] : 0;
    for (int z = 0; z < nz; z++, here += step) {
        float above = inside && z + 1 < nz ? in[here + step] : 0;
        __syncthreads();
        plane[ly][lx] = centre;
        if (threadIdx.x == 0)
            plane[ly][0] = x > 0 && y < ny && x <= nx ? in[here - 1] : 0;
        if (threadIdx.x == SX - 1)
            plane[ly][SX + 1] = x + 1 < nx && y < ny ? in[here + 1] : 0;
        if (threadIdx.y == 0)
            plane[0][lx] = y > 0 && x < nx && y <= ny ? in[here - nx] : 0;
        if (threadIdx.y == SY - 1)
            plane[SY + 1][lx] = y + 1 < ny && x < nx ? in[here + nx] : 0;
        __syncthreads();
        if (inside)
            out[here] = c0 * centre + c1 * (below + above + plane[ly][lx - 1] + plane[ly][lx + 1] +
                                            plane[ly - 1][lx] + plane[ly + 1][lx]);
        below = centre;
        centre = above;
    }
}
