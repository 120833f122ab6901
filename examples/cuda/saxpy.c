/* SPDX-License-Identifier: MIT
 * y = a x + y by the kernel of saxpy.cu, under the names of CUDA's runtime. */
#include <mpu/simt.h>

#define N 1000

/* Ends the program with what CUDA calls the failure. */
static void check(cudaError_t code) {
    if (code != cudaSuccess) {
        fprintf(stderr, "saxpy: %s\n", cudaGetErrorString(code));
        exit(EXIT_FAILURE);
    }
}

int main(void) {
    static float x[N], y[N];
    float *dx, *dy;
    for (int i = 0; i < N; i++) {
        x[i] = (float)i;
        y[i] = 1;
    }
    check(cudaMalloc((void **)&dx, sizeof x));
    check(cudaMalloc((void **)&dy, sizeof y));
    check(cudaMemcpy(dx, x, sizeof x, cudaMemcpyHostToDevice));
    check(cudaMemcpy(dy, y, sizeof y, cudaMemcpyHostToDevice));
    MPU_LAUNCH(saxpy, (N + 255) / 256, 256)(N, 2, dx, dy); /* saxpy<<<(N + 255) / 256, 256>>>(..) */
    check(cudaDeviceSynchronize());
    check(cudaMemcpy(y, dy, sizeof y, cudaMemcpyDeviceToHost));
    check(cudaFree(dx));
    check(cudaFree(dy));
    for (int i = 0; i < N; i++)
        if (y[i] != 2 * x[i] + 1) {
            printf("y[%d] is %g, not %g\n", i, y[i], 2 * x[i] + 1);
            return EXIT_FAILURE;
        }
    printf("y = 2 x + 1 for %d elements, the last of which is %g\n", N, y[N - 1]);
    return EXIT_SUCCESS;
}
