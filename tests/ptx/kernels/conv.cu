// CONV: 3 x 3 convolution of several channels, without padding; a plane of the grid for each filter.
__global__ void conv(const float *__restrict__ in, const float *__restrict__ weights,
                     float *__restrict__ out, int channels, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int filter = blockIdx.z;
    int out_width = width - 2, out_height = height - 2;
    if (x >= out_width || y >= out_height)
        return;
    float sum = 0;
    for (int c = 0; c < channels; c++)
        for (int ky = 0; ky < 3; ky++)
            for (int kx = 0; kx < 3; kx++)
                sum += in[(c * height + y + ky) * width + x + kx] *
                       weights[((filter * channels + c) * 3 + ky) * 3 + kx];
    out[(filter * out_height + y) * out_width + x] = sum;
}
