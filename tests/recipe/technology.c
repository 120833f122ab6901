/* SPDX-License-Identifier: MIT
 * Lines of random target files. */
#include "technology.h"

#include "support/alloc.h"
#include "support/bits.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum shape { ONE_CLASS, PARITY, STORED_APART, COMPUTE_ROWS, ROW_ORDER, LATCHES, SHAPES };

static unsigned draw(struct technology *technology, unsigned n) {
    return (unsigned)(splitmix64(&technology->seed) % n);
}

static void add_line(struct technology *technology, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void add_line(struct technology *technology, const char *format, ...) {
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (technology->count < TECHNOLOGY_LINES)
        technology->lines[technology->count++] = strcpy(xcalloc(1, strlen(text) + 1), text);
}

/* --- rows and mask --- */

static void add_rows(struct technology *technology) {
    static const char *const rows[SHAPES] = {
        "  cells: { range: \"0..1021\" }\n",
        "  cells: { range: \"0..1021:2\" }\n  comp: { range: \"1..1021:2\" }\n",
        ("  cells: { range: \"0..599\", use: registers }\n"
         "  comp:  { range: \"600..1021\", use: scratch }\n"),
        "  cells: { range: \"0..1015\" }\n  comp:  { range: \"1016..1021\", use: compute }\n",
        "  cells: { range: \"0..1015\" }\n  comp:  { range: \"1016..1021\", use: compute }\n",
        "  cells: { range: \"0..1021\" }\n  la: { latch: true }\n  lb: { latch: true }\n",
    };
    static const char two_stores[] = "  cells: { range: \"0..299\", use: registers }\n"
                                     "  more:  { range: \"300..599\", use: registers }\n"
                                     "  comp:  { range: \"600..1021\", use: scratch }\n";
    bool both = technology->shape == STORED_APART && draw(technology, 2);
    str_printf(&technology->head, "rows:\n%s", both ? two_stores : rows[technology->shape]);
    if (draw(technology, 12))
        str_append(&technology->head, "  zero: { row: 1022, value: 0 }\n");
    if (draw(technology, 12))
        str_append(&technology->head, "  one: { row: 1023, value: 1 }\n");
}

/* What moves and gates of rows leave out: the latches. */
static void add_latch_test(const struct technology *technology, struct str *where,
                           const char *operand) {
    if (technology->shape == LATCHES)
        str_printf(where, " && class(%s) != la && class(%s) != lb", operand, operand);
    if (technology->own_latch)
        str_printf(where, " && class(%s) != lm", operand);
}

/* A latch of its own for the mask, or one that computes as well. */
static void add_mask(struct technology *technology) {
    unsigned by = draw(technology, 5);
    technology->own_latch = by == 4 && (technology->shape != LATCHES || draw(technology, 4));
    const char *latch = technology->own_latch ? "lm" : "la";
    if (by != 4) {
        str_printf(&technology->head, "mask: { by: %s }\n", by < 3 ? "gate" : "select");
        return;
    }
    if (technology->own_latch)
        str_append(&technology->head, "  lm: { latch: true }\n");
    str_printf(&technology->head, "mask: { by: latch, latch: %s, and: MAND, load: MLOAD }\n",
               latch);
    add_line(
        technology,
        "  MAND: { in: [x, %s], out: %s, fn: \"x & %s\", energy: e, where: \"class(x) != %s\" }",
        latch, latch, latch, latch);
    add_line(technology,
             "  MLOAD: { in: [x], out: %s, fn: \"x\", energy: e, where: \"class(x) != %s\" }",
             latch, latch);
}

static unsigned draw_sections(struct technology *technology) {
    static const unsigned all[] = {1, 1, 1, 1, 1, 1, 2, 3, 8, 32, 33, 64};
    return all[draw(technology, sizeof all / sizeof *all)];
}

static void add_head(struct technology *technology) {
    str_append(&technology->head, "schema: 1\nname: made-up\nkind: plane\n");
    if (technology->sections > 1 && draw(technology, 2))
        str_append(&technology->head, "bit_pipelined: true\n");
    str_printf(
        &technology->head,
        "array: { rows: 1024, lanes: 64, sections: %u, source: assumed }\n"
        "machine: { vrf_per_rfh: 8, rfh_per_mpu: 1, mpus: 1, active_vrf_per_rfh: 0 }\n"
        "clocks: { datapath_ps: 1000, source: assumed }\n"
        "energy: { per: array, e: 1000, source: assumed }\n"
        "network: { intra: serial, setup_ps: 1, register_ps: 1, energy_fj_per_bit: 1, "
        "source: assumed }\n"
        "host: { bytes_per_s: 1000000000, fj_per_bit: 1, transpose: host, source: assumed }\n"
        "front_end: mpu-paper\n",
        technology->sections);
    add_rows(technology);
    add_mask(technology);
}

/* --- gates --- */

#define MOST_ARITY 5
static const char letters[] = "abcef"; /* the result is d */

struct gate {
    unsigned nsrc;
    char fn[64];
};

/* "!(a | b | c)" */
static struct gate joined(unsigned nsrc, const char *mark, bool inverted) {
    struct gate g = {.nsrc = nsrc};
    size_t at = (size_t)snprintf(g.fn, sizeof g.fn, inverted ? "!(" : "(");
    for (unsigned i = 0; i < nsrc; i++)
        at += (size_t)snprintf(g.fn + at, sizeof g.fn - at, "%s%c", i ? mark : "", letters[i]);
    snprintf(g.fn + at, sizeof g.fn - at, ")");
    return g;
}

static struct gate plain(unsigned nsrc, const char *fn) {
    struct gate g = {.nsrc = nsrc};
    snprintf(g.fn, sizeof g.fn, "%s", fn);
    return g;
}

static const char *const odd[3][8] = {
    {"!a", "!a", "a", "a", "!a", "a", "!a", "a"},
    {"!(a & b)", "!(a | b)", "a & b", "a | b", "a ^ b", "!a | b", "a & !b", "!(a ^ b)"},
    {"maj(a, b, c)", "!maj(a, b, c)", "a ^ b ^ c", "!(a & b & c)", "!(a | b | c)", "a & b | c",
     "(a & b) | (!a & c)", "!((a & b) | c)"},
};

static struct gate draw_odd(struct technology *technology) {
    unsigned nsrc = 1 + draw(technology, 3);
    return plain(nsrc, odd[nsrc - 1][draw(technology, 8)]);
}

/* What people build: complete sets, most of them. */
static unsigned draw_family(struct technology *technology, struct gate *gates) {
    unsigned n = 2 + draw(technology, MOST_ARITY - 1), count = 0;
    switch (draw(technology, 9)) {
    case 0:
        gates[count++] = joined(n, " | ", true);
        break;
    case 1:
        gates[count++] = joined(n, " & ", true);
        break;
    case 2:
        gates[count++] = plain(3, "maj(a, b, c)");
        gates[count++] = plain(1, "!a");
        break;
    case 3:
        gates[count++] = joined(2, " ^ ", draw(technology, 2));
        gates[count++] = joined(n, " & ", false);
        break;
    case 4:
        gates[count++] = joined(n, " & ", false);
        gates[count++] = joined(2, " | ", false);
        gates[count++] = plain(1, "!a");
        break;
    case 5:
        gates[count++] = plain(2, "!a | b");
        break;
    case 6:
        gates[count++] = plain(3, "(a & b) | (!a & c)");
        gates[count++] = plain(1, "!a");
        break;
    default:
        for (unsigned i = 1 + draw(technology, 3); i > 0; i--)
            gates[count++] = draw_odd(technology);
    }
    return count;
}

/* How a gate treats its operands.  JOINS: all rows that are activated hold the result. */
enum form { PLAIN, REPLACES, KEEPS, DESTROYS, JOINS };

static void list_operands(struct str *text, unsigned nsrc, const char *before) {
    for (unsigned i = 0; i < nsrc; i++)
        str_printf(text, "%s%c", i || *before ? ", " : "", letters[i]);
}

static void add_outputs(struct str *line, const struct gate *gate, enum form form) {
    static const char *const begins[] = {
        [PLAIN] = "d", [REPLACES] = "a", [KEEPS] = "d", [DESTROYS] = "[d", [JOINS] = "["};
    str_append(line, begins[form]);
    if (form == DESTROYS || form == JOINS) {
        list_operands(line, gate->nsrc, form == JOINS ? "" : "d");
        str_char(line, ']');
    }
}

static void add_function(struct technology *technology, struct str *line, const struct gate *gate,
                         enum form form) {
    bool ors = draw(technology, 2);
    if (form != DESTROYS) {
        str_printf(line, ", fn: \"%s%s\"", form == KEEPS ? (ors ? "d | " : "d & ") : "", gate->fn);
        if (form == KEEPS && draw(technology, 3))
            str_printf(line, ", preset: { d: %d, by: SET%d }", !ors, !ors);
        return;
    }
    str_printf(line, ", fn: { d: \"%s\"", gate->fn);
    for (unsigned i = 0; i < gate->nsrc; i++)
        str_printf(line, ", %c: \"%d\"", letters[i], ors);
    str_append(line, " }");
}

/* Conditions on classes, with && before each. */
static void add_class_test(struct technology *technology, struct str *where, unsigned nsrc,
                           const char *out, bool replaces) {
    unsigned kind = draw(technology, 5);
    bool either = kind == 4 && !replaces && technology->shape != PARITY;
    switch (technology->shape) {
    case PARITY:
        for (unsigned i = 1; i < nsrc && kind; i++)
            str_printf(where, " && class(%c) == class(a)", letters[i]);
        if (kind && !replaces)
            str_printf(where, " && class(%s) %s class(a)", out, kind == 1 ? "==" : "!=");
        break;
    case STORED_APART:
    case COMPUTE_ROWS:
    case ROW_ORDER:
        for (unsigned i = either; i < nsrc && kind > 1; i++)
            str_printf(where, " && class(%c) == comp", letters[i]);
        if (either) /* as dual-contact cells: into such a row, or out of it */
            str_printf(where, " && (class(%s) == comp || class(a) == comp)", out);
        else if (kind)
            str_printf(where, " && class(%s) == comp", out);
        for (unsigned i = 1; i < nsrc && kind > 1 && technology->shape == ROW_ORDER; i++)
            str_printf(where, " && row(%c) == row(%c) + 1", letters[i], letters[i - 1]);
        break;
    default:
        break;
    }
}

static void add_latch_tests(const struct technology *technology, struct str *where, unsigned nsrc,
                            const char *out) {
    for (unsigned i = 0; i < nsrc; i++)
        add_latch_test(technology, where, (char[]){letters[i], '\0'});
    if (*out == 'd')
        add_latch_test(technology, where, out);
}

static void add_section_test(const struct technology *technology, struct str *where, unsigned nsrc,
                             const char *out) {
    for (unsigned i = 0; i < nsrc && technology->sections > 1; i++)
        if (*out != letters[i])
            str_printf(where, " && section(%c) == section(%s)", letters[i], out);
    if (technology->to_rows)
        str_printf(where, " && class(%s) != buffer", out);
}

static void end_line(struct str *line, struct str *where) {
    const char *text = str_text(where);
    if (where->len)
        str_printf(line, ", where: \"%s\"", strncmp(text, " && ", 4) == 0 ? text + 4 : text);
    str_append(line, ", energy: e }");
    str_free(where);
}

static void add_gate(struct technology *technology, const struct gate *gate) {
    static const enum form forms[] = {PLAIN, PLAIN, PLAIN,    PLAIN, REPLACES,
                                      KEEPS, KEEPS, DESTROYS, JOINS};
    enum form form = forms[draw(technology, sizeof forms / sizeof *forms)];
    if (form == KEEPS && gate->nsrc == MOST_ARITY) /* the old value would be a source too many */
        form = PLAIN;
    bool replaces = form == REPLACES || form == JOINS;
    const char *out = replaces ? "a" : "d";
    struct str line = {0}, where = {0};
    str_printf(&line, "  G%u: { in: [", technology->count);
    list_operands(&line, gate->nsrc, "");
    str_append(&line, "], out: ");
    add_outputs(&line, gate, form);
    add_function(technology, &line, gate, form);
    add_class_test(technology, &where, gate->nsrc, out, replaces);
    add_latch_tests(technology, &where, gate->nsrc, out);
    add_section_test(technology, &where, gate->nsrc, out);
    end_line(&line, &where);
    add_line(technology, "%s", str_text(&line));
    str_free(&line);
}

/* Between latches: into one of them. */
static void add_latch_gate(struct technology *technology) {
    const char *f = odd[1][draw(technology, 8)];
    struct str line = {0};
    str_printf(&line, "  G%u: { in: [la, lb], out: la, fn: \"", technology->count);
    for (const char *c = f; *c; c++)
        str_printf(&line, *c == 'a' || *c == 'b' ? "l%c" : "%c", *c);
    add_line(technology, "%s\", energy: e }", str_text(&line));
    str_free(&line);
}

/* A micro-op of the text so far, between a row and something fixed. */
static void add_move(struct technology *technology, const char *text, const char *operand) {
    struct str line = {0}, where = {0};
    str_append(&line, text);
    add_latch_test(technology, &where, operand);
    end_line(&line, &where);
    add_line(technology, "%s", str_text(&line));
    str_free(&line);
}

static void add_latch_moves(struct technology *technology) {
    add_move(technology, "  RA: { in: [x], out: la, fn: \"x\"", "x");
    add_move(technology,
             draw(technology, 4) ? "  RB: { in: [x], out: lb, fn: \"x\""
                                 : "  RB: { in: [x], out: lb, fn: \"!x\"",
             "x");
    add_move(technology,
             draw(technology, 3) ? "  W: { in: [la], out: d, fn: \"la\""
                                 : "  W: { in: [la], out: d, fn: \"!la\"",
             "d");
    for (unsigned i = 1 + draw(technology, 3); i > 0; i--)
        add_latch_gate(technology);
}

/* --- copies and constants --- */

static void add_copy(struct technology *technology) {
    struct str line = {0}, where = {0};
    str_printf(&line, "  COPY%u: { in: [a], out: d, fn: \"a\", class: copy", technology->count);
    if (draw(technology, 3) == 0)
        add_class_test(technology, &where, 1, "d", false);
    add_latch_tests(technology, &where, 1, "d");
    add_section_test(technology, &where, 1, "d");
    end_line(&line, &where);
    add_line(technology, "%s", str_text(&line));
    str_free(&line);
}

static void add_crossing(struct technology *technology) {
    struct str where = {0}, line = {0};
    str_append(&line, "  PASS: { in: [a], out: d, fn: \"a\", class: crossing");
    add_latch_tests(technology, &where, 1, "d");
    if (draw(technology, 3) == 0)
        str_append(&where, " && (section(d) == section(a) + 1 || section(d) == section(a) - 1)");
    end_line(&line, &where);
    add_line(technology, "%s", str_text(&line));
    str_free(&line);
}

static void add_sets(struct technology *technology) {
    add_move(technology, "  SET0: { out: d, fn: \"0\"", "d");
    add_move(technology, "  SET1: { out: d, fn: \"1\"", "d");
}

static void add_ops(struct technology *technology) {
    struct gate gates[8];
    add_sets(technology);
    if (technology->shape == LATCHES)
        add_latch_moves(technology);
    else if (draw(technology, 6))
        add_copy(technology);
    if (technology->shape != LATCHES || draw(technology, 3) == 0) {
        unsigned count = draw_family(technology, gates);
        for (unsigned i = 0; i < count; i++)
            add_gate(technology, &gates[i]);
    }
    if (technology->sections > 1)
        add_crossing(technology);
}

/* --- the whole --- */

void technology_draw(struct technology *technology, uint64_t seed, unsigned sections) {
    *technology = (struct technology){.seed = seed};
    technology->shape = draw(technology, SHAPES);
    unsigned drawn = draw_sections(technology);
    technology->sections = sections ? sections : drawn;
    uint64_t apart = ~seed; /* what else is drawn does not hang on it */
    technology->to_rows = technology->sections > 1 && splitmix64(&apart) & 1;
    add_head(technology);
    add_ops(technology);
}

void technology_add_line(struct technology *technology) {
    unsigned from = draw(technology, technology->count);
    const char *line = technology->lines[from];
    unsigned kind = draw(technology, 3);
    struct gate g = draw_odd(technology);
    if (kind == 0)
        add_line(technology, "  AGAIN%s", strchr(line, ':'));
    else if (kind == 1)
        add_copy(technology);
    else
        add_gate(technology, &g);
}

void technology_shuffle(struct technology *technology) {
    for (unsigned i = technology->count; i > 1; i--) {
        unsigned k = draw(technology, i);
        char *line = technology->lines[i - 1];
        technology->lines[i - 1] = technology->lines[k];
        technology->lines[k] = line;
    }
}

struct str technology_text(const struct technology *technology) {
    struct str text = {0};
    str_append_n(&text, str_text(&technology->head), technology->head.len);
    str_append(&text, "ops:\n");
    for (unsigned i = 0; i < technology->count; i++)
        str_printf(&text, "%s\n", technology->lines[i]);
    return text;
}

void technology_free(struct technology *technology) {
    for (unsigned i = 0; i < technology->count; i++)
        free(technology->lines[i]);
    str_free(&technology->head);
}
