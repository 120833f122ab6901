/* SPDX-License-Identifier: MIT */
#include "isa-spec/gen/gen.h"

#include <stdlib.h>
#include <string.h>

static const char columns[] = "target,instruction,width,masked,micro_ops,logic,crossings,handover,"
                              "latency_cycles,interval_cycles,energy_fj,scratch_rows";
enum { TARGET, INSTRUCTION, WIDTH, MASKED, MICRO_OPS, LATENCY = 8, ENERGY = 10, FIELDS = 12 };

/* Takes the line apart in place. */
static bool split(char *line, const char *fields[FIELDS]) {
    for (unsigned i = 0; i < FIELDS; i++) {
        fields[i] = line;
        line += strcspn(line, ",");
        if ((*line == ',') != (i + 1 < FIELDS))
            return false;
        *line++ = '\0';
    }
    return true;
}

static bool number(const char *s, uint64_t *n) {
    char *end;
    *n = strtoull(s, &end, 10);
    return *s >= '0' && *s <= '9' && *end == '\0';
}

bool gen_costs_match(const struct isa_table *t, const struct instruction *in, const char *label) {
    const char *title = gen_title_of(t, in);
    size_t n = strlen(title);
    return strncmp(label, title, n) == 0 && (label[n] == '\0' || label[n] == ' ');
}

static bool is_known(const struct isa_table *t, const char *label) {
    for (unsigned i = 0; i < t->instruction_count; i++)
        if (gen_costs_match(t, &t->instructions[i], label))
            return true;
    return false;
}

static void add_target(struct costs *c, const char *name) {
    for (unsigned i = 0; i < c->target_count; i++)
        if (strcmp(c->targets[i], name) == 0)
            return;
    if (c->target_count < MAX_TARGETS)
        c->targets[c->target_count++] = name;
}

static void take_line(struct isa_table *t, struct record_place at, char *line, struct costs *c) {
    const char *fields[FIELDS];
    uint64_t width, masked;
    struct cost cost = {0};
    if (!split(line, fields) || !number(fields[WIDTH], &width) || width < 1 || width > 64 ||
        !number(fields[MASKED], &masked) || !number(fields[MICRO_OPS], &cost.micro_ops) ||
        !number(fields[LATENCY], &cost.latency_cycles) ||
        !number(fields[ENERGY], &cost.energy_fj)) {
        gen_table_error(t, at, "not a line of costs");
        return;
    }
    if (!is_known(t, fields[INSTRUCTION]))
        gen_table_error(t, at, "no instruction is called '%s'", fields[INSTRUCTION]);
    if (masked || c->count == MAX_COSTS)
        return;
    cost.target = fields[TARGET];
    cost.label = fields[INSTRUCTION];
    cost.width = (unsigned)width;
    add_target(c, cost.target);
    c->rows[c->count++] = cost;
}

bool gen_costs_parse(struct isa_table *t, const char *path, struct costs *c) {
    size_t size;
    unsigned errors = t->errors;
    const char *slash = strrchr(path, '/');
    struct record_place at = {slash ? slash + 1 : path, 0};
    char *text = gen_read_file(t->pool, path, &size);
    *c = (struct costs){.rows = gen_alloc(t->pool, MAX_COSTS * sizeof *c->rows)};
    if (!text)
        return false;
    while (*text) {
        size_t n = strcspn(text, "\n");
        char *next = text + n + (text[n] == '\n');
        text[n] = '\0';
        at.line++;
        if (at.line > 1)
            take_line(t, at, text, c);
        else if (strcmp(text, columns) != 0)
            gen_table_error(t, at, "not the columns of mpu-recipe count --csv");
        text = next;
    }
    return t->errors == errors;
}
