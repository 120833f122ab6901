/* SPDX-License-Identifier: MIT
 * A landscape by numbers alone: a sky with clouds (octaves of value noise), a low sun with its
 * glow, three ranges of hills in haze, a lake that mirrors them, and a little grain, as a
 * camera's sensor gives.  Integers only: the same picture on every machine. */
#include "examples/gen/write.h"

#include <stdint.h>

enum {
    WIDTH = PICTURE_WIDTH,
    HEIGHT = PICTURE_HEIGHT,
    HORIZON = 330,
    SUN_X = 455,
    SUN_Y = 205,
    RANGES = 3
};

static uint32_t hash(uint32_t x, uint32_t y, uint32_t seed) {
    uint64_t state = ((uint64_t)x << 32 | y) ^ (uint64_t)seed * 0x9e3779b97f4a7c15u;
    return (uint32_t)next_random(&state);
}

/* 3t^2 - 2t^3 for t in 0..256. */
static int smooth(int t) {
    return t * t * (768 - 2 * t) >> 16;
}

/* Value noise with cells of 2^shift pixels, 0..255. */
static int noise(int x, int y, int shift, uint32_t seed) {
    uint32_t cx = (uint32_t)(x >> shift), cy = (uint32_t)(y >> shift);
    int fx = smooth((x & ((1 << shift) - 1)) << 8 >> shift);
    int fy = smooth((y & ((1 << shift) - 1)) << 8 >> shift);
    int a = (int)(hash(cx, cy, seed) & 255), b = (int)(hash(cx + 1, cy, seed) & 255);
    int c = (int)(hash(cx, cy + 1, seed) & 255), d = (int)(hash(cx + 1, cy + 1, seed) & 255);
    int top = a * (256 - fx) + b * fx, bottom = c * (256 - fx) + d * fx;
    return (top * (256 - fy) + bottom * fy) >> 16;
}

/* Octaves from cells of 2^shift pixels down, each half as strong as the one before, 0..255. */
static int octaves(int x, int y, int shift, int count, uint32_t seed) {
    int sum = 0, weight = 1 << count, total = 0;
    for (int k = 0; k < count && k < shift; k++, weight /= 2) {
        sum += noise(x, y, shift - k, seed + (uint32_t)k) * weight;
        total += weight;
    }
    return sum / total;
}

static int clamp(int v, int low, int high) {
    return v < low ? low : v > high ? high : v;
}

static int mix(int a, int b, int t) {
    return (a * (256 - t) + b * t) >> 8;
}

static int sky(int x, int y) {
    int dx = x - SUN_X, dy = y - SUN_Y, r2 = dx * dx + dy * dy;
    int base = mix(96, 188, y * 256 / HORIZON);
    int glow = 60000 / (r2 / 24 + 320);
    int cover = clamp((octaves(x, y * 2, 7, 6, 11) - 118) * 4, 0, 200);
    int lit = mix(base + glow, 232, cover);
    if (r2 < 26 * 26)
        return 252;
    return lit;
}

/* The height of range k's ridge at column x, as a row. */
static int ridge(int x, int k) {
    static const int top[RANGES] = {196, 236, 276}, swing[RANGES] = {120, 96, 70};
    return top[k] + 60 - octaves(x + 1000 * k, 0, 7, 5, 40 + (uint32_t)k) * swing[k] / 255;
}

/* Nearer hills are darker and show more of their texture. */
static int land(int x, int y) {
    static const int tone[RANGES] = {134, 92, 52};
    for (int k = RANGES - 1; k >= 0; k--) {
        int above = y - ridge(x, k);
        if (above >= 0) {
            int texture = (octaves(x, y, 4, 4, 70 + (uint32_t)k) - 128) * (k + 1) / 8;
            return tone[k] + texture + clamp(above / 4, 0, 24);
        }
    }
    return sky(x, y);
}

/* The lake mirrors what stands above it, squeezed and broken by ripples. */
static int lake(int x, int y) {
    int depth = y - HORIZON;
    int ripple = (octaves(x, y * 6, 5, 3, 90) - 128) * (depth + 12) / 260;
    int mirrored = clamp(HORIZON - depth * 3 / 2 + ripple, 0, HORIZON - 1);
    int seen = land(clamp(x + ripple / 2, 0, WIDTH - 1), mirrored);
    return mix(seen, 40, 60 + depth / 3);
}

static int grain(int x, int y) {
    uint32_t h = hash((uint32_t)x, (uint32_t)y, 5);
    int sum = (int)(h & 7) + (int)(h >> 8 & 7) + (int)(h >> 16 & 7) + (int)(h >> 24 & 7);
    return (sum - 14) / 3;
}

static uint8_t picture[HEIGHT][WIDTH];

int main(int argc, char **argv) {
    enter_folder(argc > 1 ? argv[1] : ".");
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            int v = y < HORIZON ? land(x, y) : lake(x, y);
            picture[y][x] = (uint8_t)clamp(v + grain(x, y), 0, 255);
        }
    write_pgm("landscape.pgm", WIDTH, HEIGHT, picture[0]);
    return 0;
}
