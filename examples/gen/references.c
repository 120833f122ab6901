/* SPDX-License-Identifier: MIT
 * Inputs and expected outputs of the examples, computed in plain C from the examples' comments
 * alone. */
#include "examples/gen/write.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

static void axpy(void) {
    enum { N = 1000 };
    static int32_t x[N], y[N], z[N];
    const int32_t a = -37;
    uint64_t seed = 1;
    for (size_t i = 0; i < N; i++) {
        x[i] = (int32_t)(next_random(&seed) >> 40) - (1 << 23);
        y[i] = (int32_t)(next_random(&seed) >> 34) - (1 << 29);
        z[i] = a * x[i] + y[i];
    }
    write_npy("axpy-a.npy", "<i4", 0, 0, &a, sizeof a);
    write_npy("axpy-x.npy", "<i4", N, 0, x, sizeof x);
    write_npy("axpy-y.npy", "<i4", N, 0, y, sizeof y);
    write_npy("axpy-z.npy", "<i4", N, 0, z, sizeof z);
}

static void brightness(void) {
    enum { WIDTH = PICTURE_WIDTH, HEIGHT = PICTURE_HEIGHT };
    static uint8_t pixels[WIDTH * HEIGHT], bright[WIDTH * HEIGHT], bold[WIDTH * HEIGHT];
    const uint8_t gain = 60, level = 200;
    read_picture(pixels);
    for (size_t i = 0; i < COUNT(pixels); i++) {
        int v = pixels[i] + gain;
        bright[i] = (uint8_t)(v > 255 ? 255 : v);
        bold[i] = bright[i] >= level ? 255 : 0;
    }
    write_npy("brightness-gain.npy", "|u1", 0, 0, &gain, 1);
    write_npy("brightness-level.npy", "|u1", 0, 0, &level, 1);
    write_pgm("brightness-bright.pgm", WIDTH, HEIGHT, bright);
    write_pgm("brightness-bold.pgm", WIDTH, HEIGHT, bold);
}

static void popcount(void) {
    enum { N = 2000 };
    static uint64_t x[N];
    static uint8_t ones[N], odd[N];
    uint64_t seed = 2;
    for (size_t i = 0; i < N; i++) {
        x[i] = next_random(&seed) >> i % 65 % 64;
        if (i < 2)
            x[i] = i ? UINT64_MAX : 0;
        for (unsigned j = 0; j < 64; j++)
            ones[i] = (uint8_t)(ones[i] + (x[i] >> j & 1));
        odd[i] = ones[i] % 2;
    }
    write_npy("popcount-x.npy", "<u8", N, 0, x, sizeof x);
    write_npy("popcount-ones.npy", "|u1", N, 0, ones, sizeof ones);
    write_npy("popcount-odd.npy", "|b1", N, 0, odd, sizeof odd);
}

static void dot(void) {
    enum { N = 500, K = 8 };
    static int16_t a[N][K], b[N][K];
    static int64_t s[N];
    uint64_t seed = 3;
    for (size_t i = 0; i < N; i++)
        for (size_t k = 0; k < K; k++) {
            a[i][k] = i ? (int16_t)next_random(&seed) : INT16_MIN; /* the largest sum there is */
            b[i][k] = i ? (int16_t)next_random(&seed) : INT16_MIN;
            s[i] += (int64_t)a[i][k] * b[i][k];
        }
    write_npy("dot-a.npy", "<i2", N, K, a, sizeof a);
    write_npy("dot-b.npy", "<i2", N, K, b, sizeof b);
    write_npy("dot-s.npy", "<i8", N, 0, s, sizeof s);
}

/* Rounds towards minus infinity, as a shift does. */
static int64_t q16(int64_t product) {
    return product >= 0 ? product / 65536 : -((-product + 65535) / 65536);
}

static void poly(void) {
    enum { HALF = 400, N = 2 * HALF + 1, RANGE = 102944 /* pi/2 in Q16 */ };
    static int32_t x[N], y[N];
    for (int i = 0; i < N; i++) {
        x[i] = (int32_t)((int64_t)RANGE * (i - HALF) / HALF);
        int64_t x2 = q16((int64_t)x[i] * x[i]);
        int64_t t = q16(x2 * -13) + 546;
        t = q16(x2 * t) - 10923;
        t = q16(x2 * t) + 65536;
        y[i] = (int32_t)q16(x[i] * t);
    }
    write_npy("poly-x.npy", "<i4", N, 0, x, sizeof x);
    write_npy("poly-y.npy", "<i4", N, 0, y, sizeof y);
}

static void collatz(void) {
    enum { N = 300 };
    static uint32_t x[N];
    static uint16_t steps[N];
    uint64_t seed = 4;
    for (uint32_t i = 0; i < N; i++) {
        x[i] = i < 200 ? i + 1 : (uint32_t)(next_random(&seed) >> 36);
        if (x[i] == 0)
            x[i] = 1;
        for (uint64_t v = x[i]; v > 1; steps[i]++)
            v = v % 2 ? 3 * v + 1 : v / 2;
    }
    write_npy("collatz-x.npy", "<u4", N, 0, x, sizeof x);
    write_npy("collatz-steps.npy", "<u2", N, 0, steps, sizeof steps);
}

int main(int argc, char **argv) {
    enter_folder(argc > 1 ? argv[1] : ".");
    axpy();
    brightness();
    popcount();
    dot();
    poly();
    collatz();
    return 0;
}
