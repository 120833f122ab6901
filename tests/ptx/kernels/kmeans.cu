// KMEANS: which centre is nearest to each point.  Coordinate c of point p is points[c * n + p].
__global__ void kmeans_assign(const float *points, const float *centres, int *nearest, int n, int k,
                              int dimensions) {
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= n)
        return;
    float least = 3.40282347e38f;
    int best = 0;
    for (int j = 0; j < k; j++) {
        float distance = 0;
        for (int c = 0; c < dimensions; c++) {
            float d = points[c * n + p] - centres[j * dimensions + c];
            distance += d * d;
        }
        if (distance < least) {
            least = distance;
            best = j;
        }
    }
    nearest[p] = best;
}

// Sums and counts of the points of each centre; the host divides.
__global__ void kmeans_sum(const float *points, const int *nearest, float *sums, int *counts, int n,
                           int dimensions) {
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= n)
        return;
    int j = nearest[p];
    for (int c = 0; c < dimensions; c++)
        atomicAdd(&sums[j * dimensions + c], points[c * n + p]);
    atomicAdd(&counts[j], 1);
}
