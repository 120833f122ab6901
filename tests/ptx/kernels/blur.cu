// BLUR: the mean of 3 x 3 pixels; beyond the edge the edge's pixels count.
__global__ void blur(const float *in, float *out, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    float sum = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            int u = min(max(x + dx, 0), width - 1);
            int v = min(max(y + dy, 0), height - 1);
            sum += in[v * width + u];
        }
    out[y * width + x] = sum * (1.0f / 9.0f);
}
