/* SPDX-License-Identifier: MIT
 * What bench_host compares mpu-run with: the least that the way from files to planes and back
 * takes. Maps two .npy files of int32, turns them into planes, adds a times the first to the second
 * plane by plane, turns the sum back and writes it; prints the seconds that the arithmetic alone
 * took. host_reference A X.npy Y.npy Z.npy */
#include "support/alloc.h"
#include "support/ndarray.h"
#include "support/bits.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* As the emulator's tiles: planes of one tile behind one another. */
#define WORDS  96
#define PLANES 32
#define TILE   (PLANES * WORDS)

static double wall_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static uint64_t blocks_of_tile(uint64_t blocks, uint64_t tile) {
    uint64_t left = blocks - tile * WORDS;
    return left < WORDS ? left : WORDS;
}

static void to_planes(const struct ndarray *array, uint64_t tiles, uint64_t *planes) {
    for (uint64_t t = 0; t < tiles; t++)
        bits_to_planes(array->data + t * WORDS * 64 * 4, 4, blocks_of_tile(array->count / 64, t),
                       planes + t * TILE, WORDS, PLANES);
}

static void from_planes(const uint64_t *planes, uint64_t tiles, struct ndarray *array) {
    for (uint64_t t = 0; t < tiles; t++)
        bits_from_planes(planes + t * TILE, WORDS, blocks_of_tile(array->count / 64, t),
                         array->data + t * WORDS * 64 * 4, 4, PLANES, false);
}

/* right += left << shift, in one tile. */
static void add_shifted(const uint64_t *left, uint64_t *right, unsigned shift) {
    uint64_t carry[WORDS] = {0};
    for (unsigned p = shift; p < PLANES; p++)
        for (unsigned i = 0; i < WORDS; i++) {
            uint64_t a = left[(p - shift) * WORDS + i], b = right[p * WORDS + i], c = carry[i];
            right[p * WORDS + i] = a ^ b ^ c;
            carry[i] = (a & b) | (c & (a ^ b));
        }
}

static void axpy(uint32_t a, const uint64_t *left, uint64_t *right, uint64_t tiles) {
    for (uint64_t t = 0; t < tiles; t++)
        for (unsigned bit = 0; bit < PLANES; bit++)
            if (a >> bit & 1)
                add_shifted(left + t * TILE, right + t * TILE, bit);
}

static bool whole_process(uint32_t a, char **paths, struct diag *diag) {
    struct ndarray x, y, z;
    if (!ndarray_read(paths[0], &x, diag) || !ndarray_read(paths[1], &y, diag) ||
        !ndarray_make_unset(&z, x.type, x.ndim, x.shape) || x.count != y.count || x.count % 64)
        return false;
    uint64_t tiles = ceil_div(x.count, WORDS * 64);
    uint64_t *xs = xmalloc_large(tiles * TILE * 8), *ys = xmalloc_large(tiles * TILE * 8);
    to_planes(&x, tiles, xs);
    to_planes(&y, tiles, ys);
    double start = wall_seconds();
    axpy(a, xs, ys, tiles);
    printf("%.9f\n", wall_seconds() - start);
    from_planes(ys, tiles, &z);
    bool good = ndarray_write(paths[2], &z, diag);
    ndarray_free(&x);
    ndarray_free(&y);
    ndarray_free(&z);
    free(xs);
    free(ys);
    return good;
}

int main(int argc, char **argv) {
    struct diag *d = diag_new(NULL, NULL);
    bool good = argc == 5 && whole_process((uint32_t)strtoul(argv[1], NULL, 10), argv + 2, d);
    if (!good)
        fprintf(stderr, "host_reference: %s\n",
                diag_first(d) ? diag_first(d) : "two arrays of 64 n int32 are wanted");
    diag_free(d);
    return good ? 0 : 1;
}
