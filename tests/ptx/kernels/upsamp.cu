// UPSAMP: twice the size in both directions, bilinear, with pixels' centres on top of one another.
__global__ void upsamp(const float *in, float *out, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= 2 * width || y >= 2 * height)
        return;
    int u = x / 2, v = y / 2;
    int near_u = x % 2 ? min(u + 1, width - 1) : max(u - 1, 0);
    int near_v = y % 2 ? min(v + 1, height - 1) : max(v - 1, 0);
    float upper = 0.75f * in[v * width + u] + 0.25f * in[v * width + near_u];
    float lower = 0.75f * in[near_v * width + u] + 0.25f * in[near_v * width + near_u];
    out[y * 2 * width + x] = 0.75f * upper + 0.25f * lower;
}
