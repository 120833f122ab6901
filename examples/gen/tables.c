/* SPDX-License-Identifier: MIT
 * Inputs and expected outputs of the examples with tables; their tables are computed here from what
 * they stand for, not read from the programs. */
#include "examples/gen/write.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ---- aes.ez ---- */

static uint8_t times(uint8_t x, uint8_t y) {
    unsigned product = 0, shifted = x;
    for (unsigned i = 0; i < 8; i++, shifted = shifted << 1 ^ (shifted & 0x80 ? 0x11b : 0))
        product ^= y >> i & 1 ? shifted : 0;
    return (uint8_t)product;
}

/* FIPS 197, 5.1.1: the inverse x^254, 0 for 0, then an affine map. */
static uint8_t s_box(uint8_t x) {
    uint8_t inverse = 1;
    for (unsigned i = 0; i < 254; i++)
        inverse = times(inverse, x);
    unsigned twice = inverse * 0x101u, s = 0x63u ^ inverse;
    for (unsigned i = 1; i < 5; i++)
        s ^= twice >> (8 - i);
    return (uint8_t)s;
}

static void next_key(uint8_t key[16], uint8_t constant) {
    key[0] ^= constant;
    for (unsigned i = 0; i < 16; i++)
        key[i] ^= i < 4 ? s_box(key[12 + (i + 1) % 4]) : key[i - 4];
}

/* FIPS 197, 5.1. */
static void encrypt(uint8_t key[16], uint8_t block[16]) {
    uint8_t constant = 1;
    for (unsigned i = 0; i < 16; i++)
        block[i] ^= key[i];
    for (unsigned round = 1; round <= 10; round++, constant = times(constant, 2)) {
        uint8_t moved[16];
        for (unsigned i = 0; i < 16; i++)
            moved[i] = s_box(block[(i + 4 * (i % 4)) % 16]);
        next_key(key, constant);
        for (unsigned i = 0; i < 16; i++) {
            const uint8_t *column = moved + i / 4 * 4;
            uint8_t mixed = times(2, column[i % 4]) ^ times(3, column[(i + 1) % 4]) ^
                            column[(i + 2) % 4] ^ column[(i + 3) % 4];
            block[i] = (round < 10 ? mixed : moved[i]) ^ key[i];
        }
    }
}

/* The first two are those of FIPS 197, appendices B and C.1. */
static void aes(void) {
    enum { N = 150, VECTORS = 2 };
    static const uint8_t keys[VECTORS][16] = {{0x2b, 0x7e, 0x15, 0x16, 0x28, 0xae, 0xd2, 0xa6, 0xab,
                                               0xf7, 0x15, 0x88, 0x09, 0xcf, 0x4f, 0x3c},
                                              {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14,
                                               15}},
                         blocks[VECTORS][16] = {{0x32, 0x43, 0xf6, 0xa8, 0x88, 0x5a, 0x30, 0x8d,
                                                 0x31, 0x31, 0x98, 0xa2, 0xe0, 0x37, 0x07, 0x34},
                                                {0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77,
                                                 0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff}},
                         ciphers[VECTORS][16] = {{0x39, 0x25, 0x84, 0x1d, 0x02, 0xdc, 0x09, 0xfb,
                                                  0xdc, 0x11, 0x85, 0x97, 0x19, 0x6a, 0x0b, 0x32},
                                                 {0x69, 0xc4, 0xe0, 0xd8, 0x6a, 0x7b, 0x04, 0x30,
                                                  0xd8, 0xcd, 0xb7, 0x80, 0x70, 0xb4, 0xc5, 0x5a}};
    static uint8_t key[N][16], plain[N][16], cipher[N][16];
    uint64_t seed = 197;
    for (unsigned n = 0; n < N; n++) {
        uint8_t used[16];
        for (unsigned i = 0; i < 16; i++) {
            key[n][i] = n < VECTORS ? keys[n][i] : (uint8_t)next_random(&seed);
            plain[n][i] = n < VECTORS ? blocks[n][i] : (uint8_t)next_random(&seed);
        }
        memcpy(used, key[n], sizeof used);
        memcpy(cipher[n], plain[n], sizeof used);
        encrypt(used, cipher[n]);
        if (n < VECTORS && memcmp(cipher[n], ciphers[n], sizeof used) != 0)
            abort();
    }
    write_npy("aes-key.npy", "|u1", N, 16, key, sizeof key);
    write_npy("aes-plain.npy", "|u1", N, 16, plain, sizeof plain);
    write_npy("aes-cipher.npy", "|u1", N, 16, cipher, sizeof cipher);
}

/* ---- pictures ---- */

enum { LEVELS = 32, PIXELS = PICTURE_WIDTH * PICTURE_HEIGHT };

__extension__ typedef unsigned __int128 wide;

/* 255 (x / 255)^(5 / 11), rounded: it is at least y + 1/2 where 2^11 255^6 x^5 is at least
 * (2 y + 1)^11, which takes 99 bits. */
static uint8_t gamma_of(uint8_t x) {
    wide most = 2048;
    for (unsigned i = 0; i < 11; i++)
        most *= i < 6 ? 255 : x;
    for (unsigned y = 0; y < 255; y++) {
        wide least = 1;
        for (unsigned i = 0; i < 11; i++)
            least *= 2 * y + 1;
        if (least > most)
            return (uint8_t)y;
    }
    return 255;
}

static void gamma_correction(const uint8_t *pixels) {
    static uint8_t bright[PIXELS];
    for (unsigned i = 0; i < PIXELS; i++)
        bright[i] = gamma_of(pixels[i]);
    write_pgm("gamma-bright.pgm", PICTURE_WIDTH, PICTURE_HEIGHT, bright);
}

static void equalisation(const uint8_t *pixels) {
    static uint8_t even[PIXELS];
    uint32_t count[LEVELS] = {0};
    uint8_t level[LEVELS];
    for (unsigned i = 0; i < PIXELS; i++)
        count[pixels[i] >> 3]++;
    uint32_t below = 0, all = PIXELS - count[0];
    for (unsigned i = 0; i < LEVELS; i++) {
        below += i ? count[i] : 0;
        level[i] = (uint8_t)((below * 510 + all) / (2 * all));
    }
    for (unsigned i = 0; i < PIXELS; i++)
        even[i] = level[pixels[i] >> 3];
    write_npy("levels-count.npy", "<u4", LEVELS, 0, count, sizeof count);
    write_npy("equalise-level.npy", "|u1", LEVELS, 0, level, sizeof level);
    write_pgm("equalise-even.pgm", PICTURE_WIDTH, PICTURE_HEIGHT, even);
}

int main(int argc, char **argv) {
    static uint8_t pixels[PIXELS];
    enter_folder(argc > 1 ? argv[1] : ".");
    read_picture(pixels);
    aes();
    gamma_correction(pixels);
    equalisation(pixels);
    return 0;
}
