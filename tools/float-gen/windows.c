/* SPDX-License-Identifier: MIT
 * Windows of 2/pi: for each exponent the bits that decide x 2/pi modulo 4. */
#include "tools/float-gen/gen.h"

#include <inttypes.h>

/* 2/pi behind the point (fdlibm, e_rem_pio2.c: two_over_pi; the tests reduce the largest numbers).
 */
static const uint32_t TWO_OVER_PI[] = {0xA2F9836E, 0x4E441529, 0xFC2757D1, 0xF534DDC0,
                                       0xDB629599, 0x3C439041, 0xFE5163AB};

static uint64_t bit_of(int place) { /* from 1, behind the point */
    if (place < 1 || place > 32 * (int)(sizeof TWO_OVER_PI / sizeof *TWO_OVER_PI))
        return 0;
    return TWO_OVER_PI[(place - 1) / 32] >> (31 - (place - 1) % 32) & 1;
}

/* Piece `piece`, from the lowest, of floor(2^(bits - 2) 2/pi 2^(exponent + 1 - precision)) modulo
 * 2^bits. */
static uint64_t piece_of(const struct gen_windows *w, int precision, int exponent, int piece) {
    int low = w->pieces * w->bits - 2 + exponent + 1 - precision - piece * w->bits;
    uint64_t value = 0;
    for (int place = low - w->bits + 1; place <= low; place++)
        value = value << 1 | bit_of(place);
    return value;
}

void gen_emit_windows(const struct gen_windows *w, const struct gen_format *format, struct str *out,
                      struct str *numbers) {
    for (int piece = 0; piece < w->pieces; piece++) {
        str_printf(out, "const %s_turn_%d: u%d[%d] = {\n   ", format->core, piece, w->bits,
                   w->most - w->least + 1);
        str_printf(numbers, "static const int64_t %s_turn_%d[] = {\n   ", format->core, piece);
        for (int e = w->least; e <= w->most; e++) {
            uint64_t value = piece_of(w, format->precision, e, piece);
            const char *end = e == w->most ? "\n" : (e - w->least) % 4 == 3 ? "\n   " : "";
            str_printf(out, " %" PRIu64 ",%s", value, end);
            str_printf(numbers, " %" PRIu64 ",%s", value, end);
        }
        str_append(out, "};\n");
        str_append(numbers, "};\n");
    }
    str_char(out, '\n');
    str_printf(numbers, "static const int64_t *const %s_turn[] = {", format->core);
    for (int piece = 0; piece < w->pieces; piece++)
        str_printf(numbers, "%s_turn_%d, ", format->core, piece);
    str_append(numbers, "};\n");
}
