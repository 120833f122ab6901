/* SPDX-License-Identifier: MIT
 * Distances from node 0 of a graph by the kernel of bfs.cu, which is launched as long as it says
 * that something changed. */
#include <mpu/simt.h>

#define NODES  1000
#define DEGREE 3

int main(void) {
    static int first[NODES + 1], targets[NODES * DEGREE], distance[NODES], seen[NODES];
    unsigned random = 1;
    int *d_first, *d_targets, *d_distance, *d_changed, changed = 1, level = 0;

    /* Edges go to nodes that lie less than 64 before or behind. */
    for (int v = 0; v < NODES; v++) {
        first[v + 1] = first[v] + DEGREE;
        distance[v] = v ? -1 : 0;
        for (int e = first[v]; e < first[v + 1]; e++) {
            random = random * 1664525 + 1013904223;
            targets[e] = (v + (int)(random >> 25) - 64 + NODES) % NODES;
        }
    }
    memcpy(seen, distance, sizeof seen);
    cudaMalloc((void **)&d_first, sizeof first);
    cudaMalloc((void **)&d_targets, sizeof targets);
    cudaMalloc((void **)&d_distance, sizeof distance);
    cudaMalloc((void **)&d_changed, sizeof changed);
    cudaMemcpy(d_first, first, sizeof first, cudaMemcpyHostToDevice);
    cudaMemcpy(d_targets, targets, sizeof targets, cudaMemcpyHostToDevice);
    cudaMemcpy(d_distance, distance, sizeof distance, cudaMemcpyHostToDevice);
    while (changed) {
        cudaMemset(d_changed, 0, sizeof changed);
        MPU_LAUNCH(bfs_step, (NODES + 127) / 128, 128)
        (d_first, d_targets, d_distance, d_changed, level++, NODES);
        cudaMemcpy(&changed, d_changed, sizeof changed, cudaMemcpyDeviceToHost);
        if (cudaPeekAtLastError() != cudaSuccess)
            return EXIT_FAILURE;
    }
    cudaMemcpy(distance, d_distance, sizeof distance, cudaMemcpyDeviceToHost);

    /* The same on the host, level by level. */
    for (int l = 0; l < level; l++)
        for (int v = 0; v < NODES; v++)
            for (int e = first[v]; seen[v] == l && e < first[v + 1]; e++)
                if (seen[targets[e]] < 0)
                    seen[targets[e]] = l + 1;
    printf("%d launches, %s\n", level, memcmp(seen, distance, sizeof seen) ? "wrong" : "right");
    return memcmp(seen, distance, sizeof seen) != 0;
}
