/* SPDX-License-Identifier: MIT
 * Polynomials as ezpim's text, and as numbers for C. */
#include "tools/float-gen/gen.h"

#include <inttypes.h>
#include <math.h>

enum { LINE = 96 };

/* The numbers of a level, in lines; `tail` behind the last one. */
static void put_numbers(const struct gen_polynomial *p, const int64_t *c, struct str *out) {
    size_t start = out->len;
    str_append(out, "   ");
    for (unsigned s = 0; s < p->table->segments; s++) {
        struct str number = {0};
        str_printf(&number, " %" PRId64 ",", c[s]);
        if (out->len - start + number.len > LINE) {
            str_append(out, "\n   ");
            start = out->len - 3;
        }
        str_append(out, number.text);
        str_free(&number);
    }
    str_char(out, '\n');
}

/* The value of a level: what its table has, plus the product. */
static void put_level(const struct gen_polynomial *p, unsigned j, struct str *out) {
    char sign = p->is_signed[j] ? 'i' : 'u', above = p->is_signed[j + 1] ? 'i' : 'u';
    unsigned t = p->table->t_bits - p->table->log_width - p->cut[j];
    unsigned factor = t + p->is_signed[j + 1], product = p->width[j + 1] + factor;
    str_printf(out, "    let v%u = %c%u(", j, sign, p->width[j]);
    str_printf(out, "%c%u(v%u) * %c%u(", above, product, j + 1, above, factor);
    if (p->cut[j])
        str_printf(out, "t >> %u", p->cut[j]);
    else
        str_append(out, "t");
    str_printf(out, ") >> %u)", p->shift[j]);
}

void gen_emit_polynomial(const struct gen_polynomial *p, const char *prefix, struct str *out) {
    const char *name = p->table->name;
    unsigned n = p->table->degree;
    for (unsigned j = 0; j <= n; j++) {
        str_printf(out, "const %s_%s_%u: %c%u[%u] = {\n", prefix, name, j,
                   p->is_signed[j] ? 'i' : 'u', p->width[j], p->table->segments);
        put_numbers(p, p->c[j], out);
        str_append(out, "};\n");
    }
    if (p->table->binades) {
        str_printf(out, "const %s_%s_k: i8[%u] = {\n", prefix, name, p->table->segments);
        put_numbers(p, p->k, out);
        str_append(out, "};\n");
    }
    str_printf(out, "\n// At most %.2Lf of the last bit.\n", p->bound);
    str_printf(out, "sub %s_%s(i: u%u, t: u%u): %c%u {\n", prefix, name, p->index_bits,
               p->table->t_bits - p->table->log_width, p->is_signed[0] ? 'i' : 'u', p->width[0]);
    str_printf(out, "    let v%u = %s_%s_%u[i];\n", n, prefix, name, n);
    for (unsigned j = n; j-- > 0;) {
        put_level(p, j, out);
        str_printf(out, " + %s_%s_%u[i];\n", prefix, name, j);
    }
    str_append(out, "    return v0;\n}\n\n");
}

void gen_emit_numbers(const struct gen_polynomial *p, const char *prefix, struct str *out) {
    const char *name = p->table->name;
    unsigned n = p->table->degree;
    for (unsigned j = 0; j <= n; j++) {
        str_printf(out, "static const int64_t %s_%s_%u[] = {\n", prefix, name, j);
        put_numbers(p, p->c[j], out);
        str_append(out, "};\n");
    }
    str_printf(out, "static const int64_t %s_%s_k[] = {\n", prefix, name);
    put_numbers(p, p->k, out);
    str_append(out, "};\n");
    str_printf(out, "static const struct floats_polynomial %s_%s = {\n    %u, %u, %u, {", prefix,
               name, n, p->table->t_bits - p->table->log_width, p->table->segments);
    for (unsigned j = 0; j < n; j++)
        str_printf(out, "%u, ", p->cut[j]);
    str_append(out, "}, {");
    for (unsigned j = 0; j < n; j++)
        str_printf(out, "%u, ", p->shift[j]);
    str_append(out, "}, {");
    for (unsigned j = 0; j <= n; j++)
        str_printf(out, "%s_%s_%u, ", prefix, name, j);
    str_printf(out, "}, %s_%s_k,\n};\n", prefix, name);
}

void gen_emit_ln2(const struct gen_format *format, int n, int q, struct str *out,
                  struct str *numbers) {
    const long double ln2 = 0.693147180559945309417232121458176568L;
    for (int high = 0; high < 2; high++) {
        const char *part = high ? "high" : "low";
        int count = high ? 1 << (n - 2) : 16;
        str_printf(out, "const %s_ln2_%s: i%d[%d] = {\n   ", format->core, part, n + q + 2, count);
        str_printf(numbers, "static const int64_t %s_ln2_%s[] = {\n   ", format->core, part);
        for (int i = 0; i < count; i++) {
            int k = !high ? i : 16 * (i < count / 2 ? i : i - count);
            int64_t value = (int64_t)floorl(ldexpl(k * ln2, q) + 0.5L);
            const char *end = i == count - 1 ? "\n" : i % 6 == 5 ? "\n   " : "";
            str_printf(out, " %" PRId64 ",%s", value, end);
            str_printf(numbers, " %" PRId64 ",%s", value, end);
        }
        str_append(out, "};\n");
        str_append(numbers, "};\n");
    }
    str_char(out, '\n');
    str_printf(numbers, "static const int64_t *const %s_ln2[] = {%s_ln2_low, %s_ln2_high};\n",
               format->core, format->core, format->core);
}
