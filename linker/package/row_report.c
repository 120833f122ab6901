/* SPDX-License-Identifier: MIT
 * Rows of a VRF: registers from the first on, what the program's instructions need for scratch from
 * the last on.  Where they meet the program is refused, with what takes the rows. */
#include "linker/linker.h"
#include "linker/package/pack.h"
#include "linker/where.h"
#include "object/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- the place where most is in use ---- */

/* Registers are taken to hold something from the first instruction of a body that names them to the
 * last one. */
struct crowd {
    uint64_t named;               /* registers of variables: bit r */
    const uint8_t *rows;          /* [64] */
    uint32_t first[64], last[64]; /* in the body at hand; NO_INDEX: not in it */
    uint32_t at;                  /* instruction of the text at hand */
    uint32_t worst;               /* where most is in use; NO_INDEX */
    unsigned most, nameless;      /* rows in use there; those that no variable has */
};

static void meet(void *context, unsigned reg, unsigned bits) {
    struct crowd *c = context;
    (void)bits;
    if (reg >= 64)
        return;
    if (c->first[reg] == NO_INDEX)
        c->first[reg] = c->at;
    c->last[reg] = c->at;
}

static void forget(struct crowd *crowd) {
    memset(crowd->first, 0xff, sizeof crowd->first);
}

/* Of these registers. */
static unsigned in_use(const struct crowd *crowd, uint32_t at, uint64_t registers) {
    unsigned rows = 0;
    for (unsigned r = 0; r < 64; r++)
        if (registers >> r & 1 && crowd->first[r] != NO_INDEX && crowd->first[r] <= at &&
            at <= crowd->last[r])
            rows += crowd->rows[r];
    return rows;
}

/* Instructions [first, end) are a body. */
static void close_body(struct crowd *crowd, uint32_t first, uint32_t end) {
    for (uint32_t i = first; i < end; i++) {
        unsigned rows = in_use(crowd, i, UINT64_MAX);
        if (rows <= crowd->most)
            continue;
        crowd->most = rows;
        crowd->nameless = in_use(crowd, i, ~crowd->named);
        crowd->worst = i;
    }
    forget(crowd);
}

static uint64_t registers_of(const struct variable *variable) {
    uint64_t all = variable->count >= 64 ? UINT64_MAX : (UINT64_C(1) << variable->count) - 1;
    return all << variable->reg;
}

static void name_variables(const struct object *object, struct crowd *crowd) {
    for (size_t i = 0; i < object->vars.len; i++)
        crowd->named |= registers_of(&object->vars.data[i]);
}

static void find_crowd(const struct object *object, const uint32_t *text, struct crowd *crowd) {
    struct insn insn;
    uint32_t first = 0;
    crowd->worst = NO_INDEX;
    name_variables(object, crowd);
    forget(crowd);
    for (crowd->at = 0; crowd->at < object->text.len; crowd->at++) {
        if (object_decode(object, text[crowd->at], &insn) != ISA_OK)
            continue;
        if (insn.op == OP_COMPUTE || insn.op == OP_COMPUTEG || insn.op == OP_COMPUTE_DONE ||
            insn.op == OP_RETURN) {
            close_body(crowd, first, crowd->at);
            first = crowd->at + 1;
        }
        isa_visit_registers(&insn, meet, crowd);
    }
    close_body(crowd, first, crowd->at);
}

/* ---- the message ---- */

/* What registers take, and what one of it is called (struct machine_rows). */
struct row_unit {
    const char *name;
    uint32_t bits;
};

static unsigned rows_of(const struct row_unit *unit, unsigned bits) {
    return (bits + unit->bits - 1) / unit->bits;
}

static unsigned variable_rows(const struct row_unit *unit, const struct variable *variable) {
    return variable->count * rows_of(unit, variable->type.bits);
}

/* "1 column", "2 columns". */
static const char *counted(const struct row_unit *unit, unsigned count, char out[40]) {
    snprintf(out, 40, "%u %s%s", count, unit->name, count == 1 ? "" : "s");
    return out;
}

static unsigned variable_bits(const struct variable *variable) {
    return variable->count * variable->type.bits;
}

static int by_bits(const void *left, const void *right) {
    const struct variable *x = *(const struct variable *const *)left,
                          *y = *(const struct variable *const *)right;
    if (variable_bits(x) != variable_bits(y))
        return variable_bits(x) < variable_bits(y) ? 1 : -1;
    return x < y ? -1 : x > y;
}

static void note_variable(const struct object *object, const struct variable *variable,
                          const struct row_unit *unit, struct diag *diag) {
    char type[8], rows[40];
    object_type_text(variable->type, type);
    counted(unit, variable_rows(unit, variable), rows);
    if (variable->has_k)
        diag_note(diag, object_span(object, variable->place, diag), "`%s`, %s[%" PRIu32 "]: %s",
                  variable->name, type, variable->count, rows);
    else
        diag_note(diag, object_span(object, variable->place, diag), "`%s`, %s: %s", variable->name,
                  type, rows);
}

/* The widest first. */
static void note_variables(const struct object *object, const struct row_unit *unit,
                           struct diag *diag) {
    enum { SHOWN = 8 };
    size_t count = object->vars.len;
    unsigned others = 0;
    char rows[40];
    const struct variable **sorted = xcalloc(count + 1, sizeof(struct variable *));
    for (size_t i = 0; i < count; i++)
        sorted[i] = &object->vars.data[i];
    qsort(sorted, count, sizeof *sorted, by_bits);
    for (size_t i = 0; i < count; i++) {
        if (i < SHOWN)
            note_variable(object, sorted[i], unit, diag);
        else
            others += variable_rows(unit, sorted[i]);
    }
    if (others)
        diag_note(diag, NO_SPAN, "and %zu more: %s", count - SHOWN, counted(unit, others, rows));
    free(sorted);
}

void package_report_rows(const struct object *object, const uint32_t *text, const char *message,
                         const char *unit, uint32_t bits, struct diag *diag) {
    const struct row_unit u = {unit, bits};
    uint8_t rows[64];
    unsigned nameless = 0;
    char count[40];
    struct crowd c = {.rows = rows};
    package_program_registers(object, text, rows);
    for (unsigned r = 0; r < 64; r++)
        rows[r] = (uint8_t)rows_of(&u, rows[r]);
    find_crowd(object, text, &c);
    struct span at = c.worst == NO_INDEX ? NO_SPAN : link_text_span(object, c.worst, diag);
    for (unsigned r = 0; r < 64; r++)
        nameless += c.named >> r & 1 ? 0 : rows[r];
    diag_error(diag, at, "%s", message);
    note_variables(object, &u, diag);
    if (nameless)
        diag_note(diag, at, "values without a name: %s, %u of them here",
                  counted(&u, nameless, count), c.nameless);
}

static void note_use(const struct pack *pack, const struct machine_rows *rows) {
    struct str s = {0};
    struct insn needs;
    if (rows->scratch &&
        object_decode(pack->program, pack->p->text[rows->needs], &needs) == ISA_OK) {
        str_printf(&s, ", %" PRIu64 " beside them for %s", rows->scratch,
                   isa_users_name(&pack->users, needs.op));
        if (needs.width)
            str_printf(&s, ".%u", needs.width);
        str_printf(&s, "%s (instruction %" PRIu32 ")", rows->masked ? " under a mask" : "",
                   rows->needs);
    }
    if (rows->state)
        str_printf(&s, ", %" PRIu64 " for masks", rows->state);
    if (rows->constants)
        str_printf(&s, ", %" PRIu64 " for constants", rows->constants);
    diag_note(pack->d, NO_SPAN, "%" PRIu64 " for registers%s", rows->registers, str_text(&s));
    str_free(&s);
}

/* What the compiler of the source could do it has tried: a program of it has a text for each
 * machine that some text has room on. */
static void note_help(const struct pack *pack, const struct machine_rows *rows) {
    diag_note(pack->d, NO_SPAN,
              "what helps: %s, `in consumed` for inputs that are not needed to the end",
              rows->bits > 1 ? "fewer variables" : "narrower types");
}

uint32_t package_most_taken(const struct machine *machine, const struct target *target,
                            const struct machine_code *code, const struct machine_program *program,
                            struct machine_rows *out) {
    uint32_t most = 0;
    for (uint32_t kin = 0; kin < machine_kin_count(program); kin++) {
        struct machine_rows r = {.unit = "row", .bits = 1};
        machine->rows(target, code, program, kin, &r);
        if (kin && machine_rows_taken(&r) <= machine_rows_taken(out))
            continue;
        *out = r;
        most = kin;
    }
    return most;
}

void package_check_rows(struct pack *pack) {
    struct machine_rows r;
    struct str message = {0};
    struct text text;
    struct machine_program program =
        package_program_of(pack->p, &text, &pack->users, &pack->scratch);
    if (!pack->library->machine->rows)
        return;
    uint32_t kin = package_most_taken(pack->library->machine, pack->t, pack->p->code, &program, &r);
    if (machine_rows_taken(&r) <= r.there)
        return;
    uint64_t missing = machine_rows_taken(&r) - r.there;
    if (pack->p->kins)
        package_kin_text(pack->p, pack->program, kin, &message);
    else
        str_append(&message, "the program");
    str_printf(&message,
               " needs %" PRIu64 " %ss of a VRF, and target '%s' has %" PRIu64 ": %" PRIu64
               " %s missing",
               machine_rows_taken(&r), r.unit, pack->t->name, r.there, missing,
               missing == 1 ? "is" : "are");
    package_report_rows(pack->program, pack->p->text, str_text(&message), r.unit, r.bits, pack->d);
    note_use(pack, &r);
    note_help(pack, &r);
    str_free(&message);
}
