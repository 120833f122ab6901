/* SPDX-License-Identifier: MIT
 * References of rows/: numbers, signals and ciphers. */
#include "tests/programs/rows.h"

#include <stdbool.h>
#include <string.h>

/* --- 128 bits --- */

/* The product in halves of 32 bits: the lowest word of the result first. */
static void multiply(uint64_t a, uint64_t b, uint32_t to[4]) {
    const uint32_t x[2] = {(uint32_t)a, (uint32_t)(a >> 32)},
                   y[2] = {(uint32_t)b, (uint32_t)(b >> 32)};
    memset(to, 0, 4 * sizeof *to);
    for (uint32_t i = 0; i < 2; i++) {
        uint64_t carry = 0;
        for (uint32_t j = 0; j < 2 || carry; j++) {
            carry += (j < 2 ? (uint64_t)x[i] * y[j] : 0) + to[i + j];
            to[i + j] = (uint32_t)carry;
            carry >>= 32;
        }
    }
}

/* Without what overflows. */
static void add(uint32_t to[4], const uint32_t x[4]) {
    uint64_t carry = 0;
    for (uint32_t i = 0; i < 4; i++) {
        carry += (uint64_t)to[i] + x[i];
        to[i] = (uint32_t)carry;
        carry >>= 32;
    }
}

/* The first element has the largest numbers: every carry there is. */
void rows_mul128(struct rows_data *d, uint32_t n) {
    static const char *const names[] = {"a", "b", "c", "d"};
    uint64_t *in[4], *sum = rows_add(&d->want, "sum", MPU_U64, n, 2);
    for (uint32_t k = 0; k < 4; k++) {
        in[k] = rows_random(d, names[k], MPU_U64, n, 0);
        in[k][0] = UINT64_MAX;
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t x[4], y[4];
        multiply(in[0][i], in[1][i], x);
        multiply(in[2][i], in[3][i], y);
        add(x, y);
        sum[2 * i] = (uint64_t)x[1] << 32 | x[0];
        sum[2 * i + 1] = (uint64_t)x[3] << 32 | x[2];
    }
}

/* --- ChaCha20, RFC 8439 --- */

static uint32_t left(uint32_t x, unsigned n) {
    return x << n | x >> (32 - n);
}

static void quarter(uint32_t s[16], int a, int b, int c, int d) {
    s[a] += s[b];
    s[d] = left(s[d] ^ s[a], 16);
    s[c] += s[d];
    s[b] = left(s[b] ^ s[c], 12);
    s[a] += s[b];
    s[d] = left(s[d] ^ s[a], 8);
    s[c] += s[d];
    s[b] = left(s[b] ^ s[c], 7);
}

/* start: constants, key, counter, nonce. */
static void key_stream(const uint32_t start[16], uint32_t out[16]) {
    uint32_t s[16];
    memcpy(s, start, sizeof s);
    for (int round = 0; round < 20; round++)
        for (int i = 0; i < 4; i++)
            if (round % 2 == 0)
                quarter(s, i, 4 + i, 8 + i, 12 + i);
            else
                quarter(s, i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4);
    for (int i = 0; i < 16; i++)
        out[i] = s[i] + start[i];
}

/* Key, nonce and counter of section 2.3.2. */
void rows_chacha20(struct rows_data *d, uint32_t n) {
    uint32_t *key = rows_add(&d->in, "key", MPU_U32, 0, 8);
    uint32_t *nonce = rows_add(&d->in, "nonce", MPU_U32, 0, 3);
    uint32_t *counter = rows_add(&d->in, "counter", MPU_U32, 0, 0);
    uint32_t *block = rows_add(&d->want, "block", MPU_U32, n, 16);
    uint32_t start[16] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574};
    for (uint32_t i = 0; i < 8; i++)
        start[4 + i] = key[i] = 0x03020100 + 0x04040404 * i;
    *counter = 1;
    start[13] = nonce[0] = 0x09000000;
    start[14] = nonce[1] = 0x4a000000;
    start[15] = nonce[2] = 0;
    for (uint32_t i = 0; i < n; i++) {
        start[12] = *counter + i;
        key_stream(start, block + 16 * (size_t)i);
    }
}

/* --- SHA-256, FIPS 180-4 --- */

static uint32_t right(uint32_t x, unsigned n) {
    return x >> n | x << (32 - n);
}

/* The integer cube or square root of p * 2^(32 * power), whose low 32 bits are the constants: those
 * behind the point of the root of p. */
static uint32_t root_bits(uint32_t p, uint32_t power) {
    __extension__ typedef unsigned __int128 wide;
    uint64_t r = 0;
    for (uint64_t bit = UINT64_C(1) << 36; bit; bit >>= 1) {
        wide x = r | bit, all = power == 2 ? x * x : x * x * x;
        if (all <= (wide)p << (32 * power))
            r |= bit;
    }
    return (uint32_t)r;
}

static bool is_prime(uint32_t x) {
    for (uint32_t k = 2; k * k <= x; k++)
        if (x % k == 0)
            return false;
    return x > 1;
}

struct sha_constants {
    uint32_t h[8], k[64];
};

static void make_constants(struct sha_constants *c) {
    for (uint32_t p = 2, count = 0; count < 64; p++) {
        if (!is_prime(p))
            continue;
        if (count < 8)
            c->h[count] = root_bits(p, 2);
        c->k[count++] = root_bits(p, 3);
    }
}

static void schedule(const uint32_t block[16], uint32_t w[64]) {
    memcpy(w, block, 16 * sizeof *w);
    for (uint32_t t = 16; t < 64; t++) {
        uint32_t a = w[t - 15], b = w[t - 2];
        w[t] = w[t - 16] + w[t - 7] + (right(a, 7) ^ right(a, 18) ^ a >> 3) +
               (right(b, 17) ^ right(b, 19) ^ b >> 10);
    }
}

static void sha_block(const struct sha_constants *c, const uint32_t block[16], uint32_t out[8]) {
    uint32_t w[64], s[8];
    schedule(block, w);
    memcpy(s, c->h, sizeof s);
    for (uint32_t t = 0; t < 64; t++) {
        uint32_t one = right(s[4], 6) ^ right(s[4], 11) ^ right(s[4], 25);
        uint32_t two = right(s[0], 2) ^ right(s[0], 13) ^ right(s[0], 22);
        uint32_t t1 = s[7] + one + ((s[4] & s[5]) | (~s[4] & s[6])) + c->k[t] + w[t];
        uint32_t t2 = two + ((s[0] & s[1]) | (s[2] & (s[0] | s[1])));
        memmove(s + 1, s, 7 * sizeof *s);
        s[0] = t1 + t2;
        s[4] += t1;
    }
    for (uint32_t k = 0; k < 8; k++)
        out[k] = c->h[k] + s[k];
}

/* `length` bytes at most 55, with the padding, as big-endian words. */
static void pad(const uint8_t *message, uint32_t length, uint32_t block[16]) {
    uint8_t bytes[64] = {0};
    memcpy(bytes, message, length);
    bytes[length] = 0x80;
    bytes[62] = (uint8_t)(length * 8 >> 8);
    bytes[63] = (uint8_t)(length * 8);
    for (uint32_t k = 0; k < 16; k++)
        block[k] = (uint32_t)bytes[4 * k] << 24 | (uint32_t)bytes[4 * k + 1] << 16 |
                   (uint32_t)bytes[4 * k + 2] << 8 | bytes[4 * k + 3];
}

/* The first message is "abc", the second empty. */
void rows_sha256(struct rows_data *d, uint32_t n) {
    uint32_t *block = rows_add(&d->in, "block", MPU_U32, n, 16);
    uint32_t *digest = rows_add(&d->want, "digest", MPU_U32, n, 8);
    struct sha_constants constants;
    make_constants(&constants);
    for (uint32_t i = 0; i < n; i++) {
        uint8_t message[55];
        uint32_t length = i == 0 ? 3 : i == 1 ? 0 : rows_below(d, 56);
        for (uint32_t k = 0; k < length; k++)
            message[k] = i ? (uint8_t)rows_below(d, 256) : (uint8_t) "abc"[k];
        pad(message, length, block + 16 * i);
        sha_block(&constants, block + 16 * i, digest + 8 * i);
    }
}

/* --- DFT --- */

enum { SAMPLES = 14 };

static int64_t product30(int64_t a, int64_t b) {
    return (a * b + (1 << 29)) >> 30;
}

static void one_bin(const int16_t *signal, int64_t step_re, int64_t step_im, int64_t out[2]) {
    int64_t c = 1 << 30, s = 0, re = 0, im = 0;
    for (uint32_t k = 0; k < SAMPLES; k++) {
        re += signal[k] * c;
        im += signal[k] * s;
        int64_t next = product30(c, step_re) - product30(s, step_im);
        s = product30(c, step_im) + product30(s, step_re);
        c = next;
    }
    out[0] = re >> 20;
    out[1] = im >> 20;
}

/* Steps are points inside of the unit circle, by the rational points of it; the first is 1. */
static void make_step(struct rows_data *d, uint32_t i, int32_t *re, int32_t *im) {
    int64_t p = i ? (int64_t)rows_below(d, 2001) - 1000 : 0, q = 1 + rows_below(d, 1000);
    int64_t over = p * p + q * q, one = 1 << 30;
    *re = (int32_t)(one * (q * q - p * p) / over);
    *im = (int32_t)(one * 2 * p / over * q);
}

void rows_dft(struct rows_data *d, uint32_t n) {
    int16_t *signal = rows_random(d, "signal", MPU_I16, 0, SAMPLES);
    int32_t *step_re = rows_add(&d->in, "step_re", MPU_I32, n, 0);
    int32_t *step_im = rows_add(&d->in, "step_im", MPU_I32, n, 0);
    int64_t *re = rows_add(&d->want, "re", MPU_I64, n, 0);
    int64_t *im = rows_add(&d->want, "im", MPU_I64, n, 0);
    uint64_t *power = rows_add(&d->want, "power", MPU_U64, n, 0);
    for (uint32_t i = 0; i < n; i++) {
        int64_t out[2];
        make_step(d, i, &step_re[i], &step_im[i]);
        one_bin(signal, step_re[i], step_im[i], out);
        re[i] = out[0];
        im[i] = out[1];
        power[i] = (uint64_t)(out[0] * out[0] + out[1] * out[1]);
    }
}

/* --- IMA ADPCM --- */

enum { BLOCK = 10 };

/* The published table of steps. */
static const int32_t steps[89] = {
    7,     8,     9,     10,    11,    12,    13,    14,    16,    17,    19,   21,    23,
    25,    28,    31,    34,    37,    41,    45,    50,    55,    60,    66,   73,    80,
    88,    97,    107,   118,   130,   143,   157,   173,   190,   209,   230,  253,   279,
    307,   337,   371,   408,   449,   494,   544,   598,   658,   724,   796,  876,   963,
    1060,  1166,  1282,  1411,  1552,  1707,  1878,  2066,  2272,  2499,  2749, 3024,  3327,
    3660,  4026,  4428,  4871,  5358,  5894,  6484,  7132,  7845,  8630,  9493, 10442, 11487,
    12635, 13899, 15289, 16818, 18500, 20350, 22385, 24623, 27086, 29794, 32767};

static int32_t within(int32_t x, int32_t low, int32_t high) {
    return x < low ? low : x > high ? high : x;
}

/* What a decoder adds for a code at that step. */
static int32_t moved_by(int32_t step, uint32_t code) {
    int32_t by = step >> 3;
    for (uint32_t bit = 4, part = 0; bit; bit >>= 1, part++)
        by += code & bit ? step >> part : 0;
    return code & 8 ? -by : by;
}

static uint8_t encode(int16_t x, int16_t *predicted, uint8_t *place) {
    static const int8_t change[8] = {-1, -1, -1, -1, 2, 4, 6, 8};
    int32_t step = steps[*place], off = x - *predicted;
    uint32_t code = off < 0 ? 8 : 0;
    off = off < 0 ? -off : off;
    for (uint32_t bit = 4, part = 0; bit; bit >>= 1, part++)
        if (off >= step >> part) {
            code |= bit;
            off -= step >> part;
        }
    *predicted = (int16_t)within(*predicted + moved_by(step, code), INT16_MIN, INT16_MAX);
    *place = (uint8_t)within(*place + change[code & 7], 0, 88);
    return (uint8_t)code;
}

void rows_adpcm(struct rows_data *d, uint32_t n) {
    const int16_t *sample = rows_random(d, "sample", MPU_I16, n, BLOCK);
    const int16_t *from = rows_random(d, "predicted", MPU_I16, n, 0);
    uint8_t *first = rows_add(&d->in, "place", MPU_U8, n, 0);
    int16_t *predicted = rows_add(&d->want, "predicted", MPU_I16, n, 0);
    uint8_t *place = rows_add(&d->want, "place", MPU_U8, n, 0);
    uint8_t *code = rows_add(&d->want, "code", MPU_U8, n, BLOCK);
    for (uint32_t i = 0; i < n; i++) {
        place[i] = first[i] = (uint8_t)rows_below(d, 89);
        predicted[i] = from[i];
        for (uint32_t k = 0; k < BLOCK; k++)
            code[BLOCK * i + k] = encode(sample[BLOCK * i + k], &predicted[i], &place[i]);
    }
}
