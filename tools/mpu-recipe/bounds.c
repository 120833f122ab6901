/* SPDX-License-Identifier: MIT
 * Reads counts that others published, and the least numbers of gates that we know of. */
#include "tools/mpu-recipe/bounds.h"

#include "support/file.h"
#include "support/str.h"

#include <errno.h>
#include <string.h>

/* --- names --- */

static const char half_width[] = "multiplies the low halves of its operands";
static const char four_bits[] = "divides 8 bits by 4, one width only";

static const struct {
    const char *name;
    enum isa_op op;
    const char *why;
} names[] = {
    {"LSHIFT", OP_LSHIFT, NULL},
    {"MOV", OP_MOV, NULL},
    {"INIT0", OP_INIT0, NULL},
    {"INIT1", OP_INIT1, NULL},
    {"ADD", OP_ADD, NULL},
    {"SUB", OP_SUB, NULL},
    {"INC", OP_INC, NULL},
    {"DEC", OP_DEC, NULL},
    {"CMPEQ", OP_CMPEQ, NULL},
    {"CMPLT", OP_CMPGT, NULL},
    {"CMPST", OP_CMPLT, NULL},
    {"MUX", OP_MUX, NULL},
    {"AND", OP_AND, NULL},
    {"OR", OP_OR, NULL},
    {"NAND", OP_NAND, NULL},
    {"NOR", OP_NOR, NULL},
    {"XOR", OP_XOR, NULL},
    {"XNOR", OP_XNOR, NULL},
    {"INV", OP_INV, NULL},
    {"POPC8", OP_POPC, NULL},
    {"BFLIP8", OP_BFLIP, NULL},
    {"MUL8", OP_COUNT, half_width},
    {"MUL16", OP_COUNT, half_width},
    {"MUL32", OP_COUNT, half_width},
    {"MAC8", OP_COUNT, half_width},
    {"QDIV8", OP_COUNT, four_bits},
    {"RDIV8", OP_COUNT, four_bits},
    {"QRDIV8", OP_COUNT, four_bits},
    {"FUZZY", OP_COUNT, "does not write its result"},
    {"RELUv1", OP_COUNT, "needs the sign made ready by two instructions before it"},
    {"MSB_PRED", OP_COUNT, "no instruction of this ISA: C = the highest bit"},
    {"INV_TORUS", OP_COUNT, "no instruction of this ISA: C = not C"},
    {"DINV", OP_COUNT, "INV in place, an alias here"},
    {"HalfADD", OP_COUNT, "no instruction of this ISA: sum and carry of two bits, bit by bit"},
};

enum isa_op bounds_mastodon_op(const char *name, const char **why) {
    if (why)
        *why = "unknown";
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i].name, name) == 0) {
            if (why)
                *why = names[i].why;
            return names[i].op;
        }
    return OP_COUNT;
}

/* --- the file --- */

static const char heading[] = "tech,instruction,width,logic,transfers,latency";
#define FIELDS 6

static bool number(const char *field, uint64_t *n) {
    return number_parse_u64(field, strlen(field), n);
}

static struct mastodon_row *row_of(struct mastodon_rows *rows, const char *name, unsigned width) {
    for (size_t i = 0; i < rows->len; i++)
        if (rows->data[i].width == width && strcmp(rows->data[i].name, name) == 0)
            return &rows->data[i];
    struct mastodon_row fresh = {.name = arena_strdup(&rows->arena, name), .width = width};
    vec_push(rows, fresh);
    return &rows->data[rows->len - 1];
}

static int gates_named(const char *name) {
    static const char *const known[GATES_COUNT] = {"MAGIC", "OSCAR", "IDEAL"};
    int g = 0;
    while (g < GATES_COUNT && strcmp(known[g], name) != 0)
        g++;
    return g;
}

/* Takes the line apart in place; NULL, or what is wrong with it. */
static const char *take_line(struct mastodon_rows *rows, char *line) {
    char *fields[FIELDS];
    for (unsigned i = 0; i < FIELDS; i++) {
        fields[i] = line;
        line += strcspn(line, ",");
        if ((*line == ',') != (i + 1 < FIELDS))
            return "expected six fields";
        *line++ = '\0';
    }
    int gates = gates_named(fields[0]);
    struct mastodon_cost c = {.known = true};
    uint64_t width;
    if (gates == GATES_COUNT)
        return "expected MAGIC, OSCAR or IDEAL";
    if (!number(fields[2], &width) || width < 1 || width > 64)
        return "expected a width of 1 to 64";
    if (!number(fields[3], &c.logic) || !number(fields[4], &c.transfers) ||
        !number(fields[5], &c.latency))
        return "expected a number";
    struct mastodon_row *row = row_of(rows, fields[1], (unsigned)width);
    if (row->of[gates].known)
        return "the same instruction and width once more";
    row->of[gates] = c;
    return NULL;
}

static const struct mastodon_row *find_row(const struct mastodon_rows *rows, const char *name,
                                           unsigned width) {
    for (size_t i = 0; i < rows->len; i++)
        if (rows->data[i].width == width && strcmp(rows->data[i].name, name) == 0)
            return &rows->data[i];
    return NULL;
}

/* Two widths give n and f, the row's own must lie on the line. */
static uint64_t interval_of(const struct mastodon_rows *rows, const struct mastodon_row *row,
                            enum mastodon_gates gates) {
    const struct mastodon_row *low = find_row(rows, row->name, 8),
                              *high = find_row(rows, row->name, 64);
    if (!low || !high || !low->of[gates].known || !high->of[gates].known)
        return 0;
    uint64_t a = low->of[gates].latency, slope = (high->of[gates].latency - a) / 56;
    if (a < 5 + 8 * slope || row->of[gates].latency != a + slope * (row->width - 8))
        return 0;
    return 2 * slope + 1 + (a - 5 - 8 * slope);
}

static void derive_intervals(struct mastodon_rows *rows) {
    for (size_t i = 0; i < rows->len; i++)
        for (unsigned g = 0; g < GATES_COUNT; g++)
            rows->data[i].of[g].interval =
                interval_of(rows, &rows->data[i], (enum mastodon_gates)g);
}

static bool take_text(struct mastodon_rows *rows, const char *path, char *text, struct diag *diag) {
    bool headed = false;
    for (unsigned line = 1; *text; line++) {
        size_t n = strcspn(text, "\n");
        char *next = text + n + (text[n] == '\n');
        text[n] = '\0';
        const char *problem = NULL;
        if (*text && *text != '#' && headed)
            problem = take_line(rows, text);
        else if (*text && *text != '#' && strcmp(text, heading) != 0)
            problem = "expected the heading";
        else
            headed |= *text && *text != '#';
        if (problem) {
            diag_error(diag, NO_SPAN, "%s:%u: %s", path, line, problem);
            return false;
        }
        text = next;
    }
    derive_intervals(rows);
    return true;
}

bool bounds_mastodon_read(struct mastodon_rows *rows, const char *path, struct diag *diag) {
    size_t size;
    char *text = file_read_text(path, FILE_MAX_SOURCE, &size);
    *rows = (struct mastodon_rows){0};
    if (!text) {
        diag_error(diag, NO_SPAN, "cannot read '%s': %s", path, file_problem(errno));
        return false;
    }
    bool fine = take_text(rows, path, text, diag);
    free(text);
    if (!fine)
        bounds_mastodon_free(rows);
    return fine;
}

void bounds_mastodon_free(struct mastodon_rows *rows) {
    vec_free(rows);
    arena_free(&rows->arena);
}

uint64_t bounds_mastodon_logic(const struct mastodon_row *row) {
    uint64_t a = row->of[GATES_MAGIC].logic, b = row->of[GATES_OSCAR].logic;
    return a < b ? a : b;
}

uint64_t bounds_mastodon_crossings(const struct mastodon_row *row) {
    uint64_t a = row->of[GATES_MAGIC].transfers, b = row->of[GATES_OSCAR].transfers;
    return a < b ? a : b;
}

const struct nor_minimum bounds_nor_minima[] = {
    {"or", 2, OP_OR},          {"and", 3, OP_AND},        {"xnor", 4, OP_XNOR},
    {"mux", 4, OP_MUX},        {"xor", 5, OP_XOR},        {"less-than step", 5, OP_CMPLT},
    {"majority", 6, OP_COUNT}, {"full adder", 9, OP_ADD},
};
const size_t bounds_nor_minima_count = sizeof bounds_nor_minima / sizeof *bounds_nor_minima;
