/* SPDX-License-Identifier: MIT
 * Polynomials through Chebyshev's nodes, cut to numbers of as many bits as count.
 *
 * The interpolation through n + 1 of these nodes is within a factor of 2 + 2/pi ln(n + 1) of the
 * best polynomial (Trefethen, Approximation Theory and Approximation Practice, theorem 15.3).
 * long double has 64 bits, of which the third power of a segment's width takes at most 24: of
 * coefficients with at most 34 bits none is wrong. */
#include "tools/float-gen/gen.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const long double PI = 3.14159265358979323846264338327950288L;
enum { GUARD = 2, SAMPLES = 96 };

/* The function at t of segment s, without what of it is in k. */
static long double value_at(const struct gen_polynomial *p, unsigned s, long double t) {
    const struct gen_table *table = p->table;
    long double at = t + ldexpl(s, -(int)table->log_width);
    if (!table->binades)
        return table->value(table->from + at);
    unsigned half = table->segments / 2;
    bool second = table->second && s >= half;
    unsigned row = (second ? s - half : s) >> table->log_width;
    at -= second ? ldexpl(half, -(int)table->log_width) : 0;
    return ldexpl(
        (second ? table->second : table->value)(ldexpl(1 + at - row, (int)table->from + (int)row)),
        -(int)p->k[s]);
}

/* The coefficients of segment `s`, by Newton's divided differences. */
static void interpolate(const struct gen_polynomial *p, unsigned s, long double *c) {
    const struct gen_table *table = p->table;
    unsigned n = table->degree;
    long double node[GEN_MAX_DEGREE + 1], difference[GEN_MAX_DEGREE + 1];
    long double width = ldexpl(1, -(int)table->log_width);
    for (unsigned i = 0; i <= n; i++) {
        node[i] = width * (1 - cosl(PI * (2 * i + 1) / (2 * (n + 1)))) / 2;
        difference[i] = value_at(p, s, node[i]);
    }
    for (unsigned level = 1; level <= n; level++)
        for (unsigned i = n; i >= level; i--)
            difference[i] = (difference[i] - difference[i - 1]) / (node[i] - node[i - level]);
    memset(c, 0, (n + 1) * sizeof *c);
    for (unsigned i = n + 1; i-- > 0;) { /* c = c * (t - node) + difference */
        for (unsigned j = n; j > 0; j--)
            c[j] = c[j - 1] - c[j] * node[i];
        c[0] = difference[i] - c[0] * node[i];
    }
}

/* Bits of the largest magnitude. */
static unsigned bits_of(int64_t least, int64_t most) {
    uint64_t top = (uint64_t)(most > -(least + 1) ? most : -(least + 1));
    unsigned bits = 0;
    while (bits < 63 && top >> bits)
        bits++;
    return bits ? bits : 1;
}

/* The numbers of level j, and what its value, with that of the level above, may be. */
static void make_level(struct gen_polynomial *p, unsigned j, long double (*c)[GEN_MAX_DEGREE + 1],
                       int64_t *low, int64_t *high) {
    const struct gen_table *table = p->table;
    long double unit = ldexpl(1, (int)p->fraction[j]);
    int64_t least = 0, most = 0;
    for (unsigned s = 0; s < table->segments; s++) {
        /* Half of what the product loses by its cut is put back, but for the result's own level,
         * whose coefficients at t = 0 are the values themselves. */
        long double half = j > 0 && j < table->degree ? 0.5L : 0;
        p->c[j][s] = (int64_t)floorl(c[s][j] * unit + half + 0.5L);
        int64_t sum_low = p->c[j][s], sum_high = p->c[j][s];
        if (j < table->degree) {
            int64_t t = ((int64_t)1 << (table->t_bits - table->log_width)) - 1;
            t >>= p->cut[j];
            int64_t one =
                (int64_t)floorl(ldexpl((long double)low[s] * (long double)t, -(int)p->shift[j]));
            int64_t two =
                (int64_t)floorl(ldexpl((long double)high[s] * (long double)t, -(int)p->shift[j]));
            sum_low += one < 0 ? one : 0;
            sum_high += two > 0 ? two : 0;
        }
        low[s] = sum_low;
        high[s] = sum_high;
        least = sum_low < least ? sum_low : least;
        most = sum_high > most ? sum_high : most;
    }
    p->is_signed[j] = least < 0;
    p->width[j] = bits_of(least, most) + (least < 0);
}

void gen_fit(const struct gen_table *table, struct gen_polynomial *p) {
    static long double c[GEN_MAX_SEGMENTS][GEN_MAX_DEGREE + 1];
    static int64_t low[GEN_MAX_SEGMENTS], high[GEN_MAX_SEGMENTS];
    unsigned n = table->degree;
    memset(p, 0, sizeof *p);
    p->table = table;
    while ((1u << p->index_bits) < table->segments)
        p->index_bits++;
    for (unsigned s = 0; s < table->segments; s++) {
        int exponent = 1;
        if (table->binades)
            frexpl(fminl(value_at(p, s, 0), value_at(p, s, ldexpl(1, -(int)table->log_width))),
                   &exponent);
        p->k[s] = exponent - 1;
        interpolate(p, s, c[s]);
    }
    long double rounding =
        2 + abs(table->lift); /* of the result's level, and of what is mended there */
    for (unsigned j = n + 1; j-- > 0;) {
        int fraction = (int)table->bits + GUARD - (int)(j * table->log_width);
        p->fraction[j] = j == 0 ? table->bits : fraction > 2 ? (unsigned)fraction : 2;
        if (j < n) {
            /* The value above times what is cut from t stays below this level's last bit. */
            int above = (int)p->width[j + 1] - (int)p->is_signed[j + 1] - (int)p->fraction[j + 1];
            int keep = (int)p->fraction[j] + above + (j == 0);
            int least = (int)table->log_width + 1;
            keep = keep < least ? least : keep > (int)table->t_bits ? (int)table->t_bits : keep;
            p->cut[j] = table->t_bits - (unsigned)keep;
            p->shift[j] = p->fraction[j + 1] + (unsigned)keep - p->fraction[j];
        }
        make_level(p, j, c, low, high);
        if (j > 0)
            rounding += (j < n ? 2.0L : 0.5L) * ldexpl(1, (int)table->bits - (int)p->fraction[j] -
                                                              (int)(j * table->log_width));
    }
    rounding += 1; /* the cut of t at the result's level, and its coefficient's half */
    for (unsigned k = 0; k < sizeof table->mend / sizeof *table->mend; k++)
        p->c[0][table->mend[k].segment] += table->mend[k].by;
    for (unsigned s = 0; s < table->segments; s++)
        p->c[0][s] += table->lift;
    long double worst = 0;
    for (unsigned s = 0; s < table->segments; s++)
        for (unsigned k = 0; k <= SAMPLES; k++) {
            long double t = ldexpl((long double)k / SAMPLES, -(int)table->log_width), v = 0;
            for (unsigned j = n + 1; j-- > 0;)
                v = v * t + c[s][j];
            worst = fmaxl(worst, fabsl(v - value_at(p, s, t)));
        }
    p->bound = rounding + 1.01L * ldexpl(worst, (int)table->bits);
}
