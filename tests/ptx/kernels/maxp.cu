// MAXP: the largest of 2 x 2 pixels; an odd last row or column is left out.
__global__ void maxp(const float *in, float *out, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width / 2 || y >= height / 2)
        return;
    const float *p = in + 2 * y * width + 2 * x;
    out[y * (width / 2) + x] = fmaxf(fmaxf(p[0], p[1]), fmaxf(p[width], p[width + 1]));
}
