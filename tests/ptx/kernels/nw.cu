// NW: the score matrix of an alignment after Needleman and Wunsch, tile by tile of 16 x 16: launch
// number d fills the tiles of one diagonal of tiles, from (first, d - first) on downwards to the left.
// scores has cols x cols numbers, cols = 16 tiles + 1, of which row 0 and column 0 are given.
#define TILE 16

__global__ void nw(const int *reference, int *scores, int cols, int penalty, int diagonal, int first) {
    __shared__ int t[TILE + 1][TILE + 1];
    __shared__ int ref[TILE][TILE];
    int tx = threadIdx.x, bx = first + blockIdx.x, by = diagonal - bx;
    int corner = cols * TILE * by + TILE * bx;
    for (int y = 0; y < TILE; y++)
        ref[y][tx] = reference[corner + cols * (y + 1) + tx + 1];
    if (tx == 0)
        t[0][0] = scores[corner];
    t[tx + 1][0] = scores[corner + cols * (tx + 1)];
    t[0][tx + 1] = scores[corner + tx + 1];
    __syncthreads();
    for (int m = 0; m < TILE; m++) {
        if (tx <= m) {
            int x = tx + 1, y = m - tx + 1;
            t[y][x] = max(t[y - 1][x - 1] + ref[y - 1][x - 1], max(t[y][x - 1], t[y - 1][x]) - penalty);
        }
        __syncthreads();
    }
    for (int m = TILE - 2; m >= 0; m--) {
        if (tx <= m) {
            int x = tx + TILE - m, y = TILE - tx;
            t[y][x] = max(t[y - 1][x - 1] + ref[y - 1][x - 1], max(t[y][x - 1], t[y - 1][x]) - penalty);
        }
        __syncthreads();
    }
    for (int y = 0; y < TILE; y++)
        scores[corner + cols * (y + 1) + tx + 1] = t[y + 1][tx + 1];
}
