/* SPDX-License-Identifier: MIT
 * Sums of segments, which begin where head is not 0, up to each element: one block goes through all
 * in pieces, and hands the sum so far on in a shared variable. */
__global__ void segscan(const int *x, const unsigned char *head, int *out, int n) {
    __shared__ int sums[32], heads[32], carry;
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, so_far = 0;
    for (int from = 0; from < n; from += blockDim.x) {
        int i = from + threadIdx.x;
        int sum = i < n ? x[i] : 0, begun = i < n && head[i];
        for (int d = 1; d < 32; d *= 2) {
            int other = __shfl_up_sync(~0u, sum, d), other_begun = __shfl_up_sync(~0u, begun, d);
            if (lane < d)
                continue;
            sum += begun ? 0 : other;
            begun |= other_begun;
        }
        if (lane == 31) {
            sums[warp] = sum;
            heads[warp] = begun;
        }
        __syncthreads();
        for (int w = warp - 1; w >= 0 && !begun; w--) {
            sum += sums[w];
            begun = heads[w];
        }
        sum += begun ? 0 : so_far;
        if (i < n)
            out[i] = sum;
        if (threadIdx.x == blockDim.x - 1)
            carry = sum;
        __syncthreads();
        so_far = carry;
    }
}
