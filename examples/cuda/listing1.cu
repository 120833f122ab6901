// Listing 1 of the paper on the near-bank SIMT processor, kernel and host part, as it is printed but
// for the launch, which is <<<GridCfg, BlockCfg>>> there.
#include <mpu/simt.h>

// CUDA kernel for scalar-vector multiplication
__global__ void ScalarVectorMultiply(float *input, float *output, float alpha, int len) {
    int numThreads = gridDim.x * blockDim.x;
    int tid = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = tid; i < len; i += numThreads) {
        output[i] = alpha * input[i];
    }
}

int main() {
    int len = 1000;
    float alpha = 2.5f, *mpu_input_vec, *mpu_output_vec;
    float *host_input_vec = (float *)malloc(len * sizeof(float));
    float *host_output_vec = (float *)malloc(len * sizeof(float));
    dim3 GridCfg(4), BlockCfg(128);
    for (int i = 0; i < len; i++)
        host_input_vec[i] = (float)i;

    // Memory allocation on MPU
    mpu_malloc(mpu_input_vec, len * sizeof(float));
    mpu_malloc(mpu_output_vec, len * sizeof(float));
    // Transfer the input data to MPU
    mpu_memcpy(mpu_input_vec, host_input_vec, len * sizeof(float), Host2Device);
    // Launch kernel for the computation on MPU
    MPU_LAUNCH(ScalarVectorMultiply, GridCfg, BlockCfg)(mpu_input_vec, mpu_output_vec, alpha, len);
    // Transfer MPU computation results
    mpu_memcpy(host_output_vec, mpu_output_vec, len * sizeof(float), Device2Host);

    int wrong = 0;
    for (int i = 0; i < len; i++)
        wrong += host_output_vec[i] != alpha * host_input_vec[i];
    printf("%d of %d elements are wrong; the last one is %g\n", wrong, len, host_output_vec[len - 1]);
    free(host_input_vec);
    free(host_output_vec);
    return wrong != 0;
}
