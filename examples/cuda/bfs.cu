// One step of a breadth-first search: nodes at distance `level` give their neighbours the next one.
// Edges of node v are targets[first[v]] .. targets[first[v + 1] - 1]; unseen nodes have distance -1.
__global__ void bfs_step(const int *first, const int *targets, int *distance, int *changed, int level,
                         int nodes) {
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= nodes || distance[v] != level)
        return;
    for (int e = first[v]; e < first[v + 1]; e++) {
        int w = targets[e];
        if (distance[w] < 0) {
            distance[w] = level + 1;
            *changed = 1;
        }
    }
}
