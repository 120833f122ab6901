/* SPDX-License-Identifier: MIT
 * The link half: a library is the generator of row programs (program.c); code holds the programs of
 * the forms that a text uses, each once. */
#include "tests/machines/slot/slot.h"

#include "support/alloc.h"
#include "support/bits.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- keys ---- */

#define OWN(key, type, min, max, field, help)                                                      \
    {                                                                                              \
        "slot." key, type, NEED_ALL, min, max, 1, (ptrdiff_t)offsetof(struct slot_target, field),  \
            NULL, help                                                                             \
    }
static const struct target_key_spec keys[] = {
    {"slot", KEY_BLOCK, NEED_ALL, 0, 0, 0, -1, NULL, "rows of slots"},
    OWN("row_bits", KEY_U32, 64, 1u << 20, row_bits, "bits of a row"),
    OWN("register_rows", KEY_U32, 1, 64, register_rows, "rows of a VRF for registers"),
    OWN("scratch_rows", KEY_U32, 1, SLOT_MAX_SCRATCH, scratch_rows, "rows for row programs"),
    OWN("logic_ps", KEY_U64, 0, MAX_PS, logic_ps, "AND, OR, XOR, ps"),
    OWN("shift_ps", KEY_U64, 0, MAX_PS, shift_ps, "SHIFT, ps"),
    OWN("sweep_ps", KEY_U64, 0, MAX_PS, sweep_ps, "SWEEP, ps"),
    OWN("access_ps", KEY_U64, 0, MAX_PS, access_ps, "READ, WRITE, ps"),
    OWN("logic_fj", KEY_U64, 0, MAX_FJ, logic_fj, "AND, OR, XOR in one VRF, fJ"),
    OWN("shift_fj", KEY_U64, 0, MAX_FJ, shift_fj, "SHIFT in one VRF, fJ"),
    OWN("sweep_fj", KEY_U64, 0, MAX_FJ, sweep_fj, "SWEEP in one VRF, fJ"),
    OWN("access_fj", KEY_U64, 0, MAX_FJ, access_fj, "READ, WRITE in one VRF, fJ"),
    OWN("fj_per_lane", KEY_U64, 0, MAX_FJ, fj_per_lane, "row command, for each enabled lane, fJ"),
    OWN("at_once", KEY_U32, 1, 1u << 20, at_once, "VRFs of an MPU activated in one window"),
    OWN("window_ps", KEY_U64, 0, MAX_PS, window_ps, "window of activations, ps"),
};

const struct target_kind slot_target_kind = {
    .name = "toy-slot",
    .costs = true,
    .keys = keys,
    .key_count = sizeof keys / sizeof *keys,
    .own_size = sizeof(struct slot_target),
};

uint64_t slot_kind_ps(const struct target *t, unsigned kind) {
    const struct slot_target *s = slot_target(t);
    const uint64_t ps[SLOT_KINDS] = {s->logic_ps, s->logic_ps,  s->logic_ps, s->shift_ps,
                                     s->sweep_ps, s->access_ps, s->access_ps};
    return ps[kind];
}

uint64_t slot_kind_fj(const struct target *t, unsigned kind) {
    const struct slot_target *s = slot_target(t);
    const uint64_t fj[SLOT_KINDS] = {s->logic_fj, s->logic_fj,  s->logic_fj, s->shift_fj,
                                     s->sweep_fj, s->access_fj, s->access_fj};
    return fj[kind];
}

/* ---- library and fit ---- */

static struct machine_library *open_library(const struct target *t, const struct user_file *files,
                                            size_t count, struct diag *d) {
    (void)t, (void)files, (void)count, (void)d; /* its instructions are refused where they stand */
    return xcalloc(1, sizeof(struct machine_library));
}

static void close_library(struct machine_library *l) {
    free(l);
}

static bool has(const struct machine_library *l, enum isa_op op) {
    (void)l;
    return slot_has(op);
}

static void why_not(const struct machine_library *l, enum isa_op op, struct str *out) {
    (void)l, (void)op;
    str_append(out, ": there is no row program for it");
}

static const uint8_t slots[] = {1, 2, 4, 8, 16, 32, 64, 0};

static unsigned slot_bits(const uint8_t reg_bits[64]) {
    return machine_slot_bits(&slot_machine, reg_bits);
}

static bool fits(const struct machine_library *l, const struct insn *insn,
                 const struct machine_kin *kin, struct str *problem) {
    struct slot_program p = {0};
    uint32_t rows = slot_program_add(&p, insn, kin->slot, true),
             have = slot_target(l->target)->scratch_rows;
    slot_program_free(&p);
    if (rows > have)
        str_printf(problem, "it needs %" PRIu32 " scratch rows; target '%s' has %" PRIu32, rows,
                   l->target->name, have);
    return rows <= have;
}

static bool has_room(const struct target *t, const uint8_t reg_bits[64], struct str *problem) {
    uint32_t rows = 0, have = slot_target(t)->register_rows;
    for (unsigned r = 0; r < 64; r++)
        rows += reg_bits[r] != 0;
    if (rows > have)
        str_printf(problem, "the registers need %" PRIu32 " rows; target '%s' has %" PRIu32, rows,
                   t->name, have);
    return rows <= have;
}

static uint32_t lanes(const struct target *t, const uint8_t reg_bits[64]) {
    return slot_target(t)->row_bits / slot_bits(reg_bits);
}

/* A row a register, whatever it leaves of a slot; scratch has rows of its own. */
static struct machine_room room(const struct target *t, unsigned slot) {
    const struct slot_target *own = slot_target(t);
    return (struct machine_room){slot, own->register_rows, own->row_bits / slot};
}

/* ---- code ---- */

static int by_form(const void *x, const void *y) {
    const struct slot_form *a = x, *b = y;
    if (a->opcode != b->opcode)
        return a->opcode < b->opcode ? -1 : 1;
    if (a->width != b->width)
        return a->width < b->width ? -1 : 1;
    if (a->imm != b->imm)
        return a->imm < b->imm ? -1 : 1;
    if (a->slot != b->slot)
        return a->slot < b->slot ? -1 : 1;
    return (a->masked > b->masked) - (a->masked < b->masked);
}

/* What makes instructions alike: of those that are not predicated, one form serves both. */
static struct slot_form form_of(const struct insn *x, unsigned slot, bool masked) {
    const struct isa_info *info = isa_info(x->op);
    return (struct slot_form){.opcode = info->opcode,
                              .width = x->width,
                              .imm = x->imm,
                              .slot = (uint8_t)slot,
                              .masked = masked && !(info->flags & ISA_UNMASKED)};
}

const struct slot_form *slot_find(const struct slot_code *c, const struct insn *insn, unsigned slot,
                                  bool masked) {
    const struct slot_form wanted = form_of(insn, slot, masked);
    if (!c->forms.len)
        return NULL;
    return bsearch(&wanted, c->forms.data, c->forms.len, sizeof wanted, by_form);
}

static struct slot_code *code_new(void) {
    struct slot_code *c = xcalloc(1, sizeof *c);
    c->base.machine = &slot_machine;
    return c;
}

static void free_code(struct machine_code *c) {
    struct slot_code *own = (struct slot_code *)(void *)c;
    slot_program_free(&own->program);
    vec_free(&own->forms);
    vec_free(&own->kins);
    free(own->parts);
    free(own);
}

static void list_parts(struct slot_code *c) {
    free(c->parts);
    c->parts = xcalloc(c->forms.len + 1, sizeof *c->parts);
    for (size_t i = 0; i < c->forms.len; i++)
        c->parts[i] =
            (struct machine_part){.first = c->forms.data[i].first, .count = c->forms.data[i].count};
}

static void add_form(struct slot_code *c, const struct insn *x, unsigned slot, bool masked) {
    struct slot_form f = form_of(x, slot, masked);
    if (slot_find(c, x, slot, masked))
        return;
    f.first = (uint32_t)c->program.commands.len;
    slot_program_add(&c->program, x, slot, masked);
    f.count = (uint32_t)c->program.commands.len - f.first;
    vec_push(&c->forms, f);
    for (size_t i = c->forms.len - 1; i && by_form(&c->forms.data[i - 1], &f) > 0; i--) {
        c->forms.data[i] = c->forms.data[i - 1];
        c->forms.data[i - 1] = f;
    }
}

/* The instruction is carried out in VRFs of the kin. */
static bool is_of(const struct machine_program *p, uint32_t kin, uint32_t index) {
    return insn_flags(&p->text->insns[index]) & ISA_VECTOR && machine_kin_reaches(p, kin, index);
}

static struct machine_code *build(const struct machine_library *l, const struct machine_program *p,
                                  struct diag *d) {
    struct slot_code *c = code_new();
    for (uint32_t kin = 0; kin < machine_kin_count(p); kin++) {
        unsigned slot = machine_kin_slot(&slot_machine, p, kin);
        vec_push(&c->kins, (uint8_t)slot);
        for (uint32_t i = 0; i < p->text->len; i++)
            for (unsigned masked = 0; masked < 2 && is_of(p, kin, i); masked++)
                add_form(c, &p->text->insns[i], slot, masked);
    }
    list_parts(c);
    (void)l, (void)d;
    return &c->base;
}

/* ---- bytes: numbers of forms, commands, constants, kin; then these, little-endian ---- */

enum { LISTS = 4, HEAD_BYTES = 4 * LISTS, FORM_BYTES = 16, COMMAND_BYTES = 8 };

static void put(struct str *out, uint64_t value, unsigned bytes) {
    for (unsigned i = 0; i < bytes; i++)
        str_char(out, (char)(value >> 8 * i & 0xff));
}

static void write_code(const struct machine_code *code, struct str *out) {
    const struct slot_code *c = slot_code_of(code);
    put(out, c->forms.len, 4);
    put(out, c->program.commands.len, 4);
    put(out, c->program.constants.len, 4);
    put(out, c->kins.len, 4);
    for (size_t i = 0; i < c->forms.len; i++) {
        const struct slot_form *f = &c->forms.data[i];
        put(out,
            f->opcode | (uint32_t)f->width << 8 | (uint32_t)f->masked << 16 |
                (uint32_t)f->slot << 24,
            4);
        put(out, (uint32_t)f->imm, 4);
        put(out, f->first, 4);
        put(out, f->count, 4);
    }
    for (size_t i = 0; i < c->program.commands.len; i++) {
        const struct slot_command *x = &c->program.commands.data[i];
        put(out, x->kind | (uint32_t)(uint8_t)x->shift << 8, 2);
        put(out, x->dst, 2);
        put(out, x->a, 2);
        put(out, x->b, 2);
    }
    for (size_t i = 0; i < c->program.constants.len; i++)
        put(out, c->program.constants.data[i], 8);
    for (size_t i = 0; i < c->kins.len; i++)
        put(out, c->kins.data[i], 1);
}

static uint64_t take(const unsigned char **at, unsigned bytes) {
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; i++)
        value |= (uint64_t) * (*at)++ << 8 * i;
    return value;
}

static bool is_row(const struct slot_code *c, uint16_t row) {
    if (row >= SLOT_CONSTANT)
        return (size_t)(row - SLOT_CONSTANT) < c->program.constants.len;
    return row <= SLOT_VALID || (row >= SLOT_SCRATCH && row < SLOT_SCRATCH + SLOT_MAX_SCRATCH);
}

static bool is_command(const struct slot_code *c, const struct slot_command *x) {
    bool shifts = x->kind == SLOT_SHIFT, sweeps = x->kind == SLOT_SWEEP;
    return x->kind < SLOT_COMMANDS && is_row(c, x->dst) && is_row(c, x->a) && is_row(c, x->b) &&
           x->dst < SLOT_CONSTANT && x->dst != SLOT_VALID && x->shift > -64 && x->shift < 64 &&
           (shifts || !x->shift) && (!sweeps || x->b >= SLOT_CONSTANT);
}

static bool is_slot(unsigned bits) {
    return bits && bits <= 64 && memchr(slots, (int)bits, sizeof slots);
}

/* NULL, or what is wrong. */
static const char *check(const struct slot_code *c) {
    for (size_t i = 0; i < c->program.commands.len; i++)
        if (!is_command(c, &c->program.commands.data[i]))
            return "there is no such row command";
    for (size_t i = 0; i < c->forms.len; i++) {
        const struct slot_form *f = &c->forms.data[i];
        if (i && by_form(f - 1, f) >= 0)
            return "row programs are out of order";
        if (f->first > c->program.commands.len || f->count > c->program.commands.len - f->first)
            return "a row program leads outside";
        if (!is_slot(f->slot))
            return "there are no such slots";
    }
    for (size_t i = 0; i < c->kins.len; i++)
        if (!is_slot(c->kins.data[i]))
            return "there are no such slots";
    return NULL;
}

static void take_lists(struct slot_code *c, const unsigned char *at, const uint64_t counts[LISTS]) {
    for (uint64_t i = 0; i < counts[0]; i++) {
        uint32_t what = (uint32_t)take(&at, 4);
        struct slot_form f = {.opcode = (uint8_t)what, .width = (uint8_t)(what >> 8)};
        f.masked = (uint8_t)(what >> 16);
        f.slot = (uint8_t)(what >> 24);
        f.imm = (int32_t)(uint32_t)take(&at, 4);
        f.first = (uint32_t)take(&at, 4);
        f.count = (uint32_t)take(&at, 4);
        vec_push(&c->forms, f);
    }
    for (uint64_t i = 0; i < counts[1]; i++) {
        uint16_t what = (uint16_t)take(&at, 2);
        struct slot_command x = {.kind = (uint8_t)what, .shift = (int8_t)(what >> 8)};
        x.dst = (uint16_t)take(&at, 2);
        x.a = (uint16_t)take(&at, 2);
        x.b = (uint16_t)take(&at, 2);
        vec_push(&c->program.commands, x);
    }
    for (uint64_t i = 0; i < counts[2]; i++)
        vec_push(&c->program.constants, take(&at, 8));
    for (uint64_t i = 0; i < counts[3]; i++)
        vec_push(&c->kins, (uint8_t)take(&at, 1));
}

static struct machine_code *read_code(const void *bytes, size_t size, const char **problem) {
    const unsigned char *at = bytes;
    uint64_t counts[LISTS] = {0}, need = HEAD_BYTES;
    for (unsigned i = 0; i < LISTS && size >= HEAD_BYTES; i++)
        counts[i] = take(&at, 4);
    need += counts[0] * FORM_BYTES + (counts[1] + counts[2]) * COMMAND_BYTES + counts[3];
    *problem = "its lists do not fill it";
    if (size != need)
        return NULL;
    struct slot_code *c = code_new();
    take_lists(c, at, counts);
    *problem = check(c);
    if (!*problem)
        return &c->base;
    free_code(&c->base);
    return NULL;
}

static bool ready(struct machine_code *code, const struct machine_library *l,
                  const struct machine_program *p) {
    bool fine = machine_code_serves(code, l, p);
    list_parts((struct slot_code *)(void *)code);
    return fine;
}

/* ---- load ---- */

static void load(const struct machine_code *code, struct machine_load *out) {
    const struct slot_code *c = slot_code_of(code);
    out->parts = c->parts;
    out->part_count = (uint32_t)c->forms.len;
    out->words = (uint32_t)c->program.commands.len;
    out->bytes = (c->program.commands.len + c->program.constants.len) * COMMAND_BYTES;
}

static uint32_t part_of(const struct machine_code *code, const struct text *text, uint32_t index,
                        uint32_t kin, bool masked) {
    const struct slot_code *c = slot_code_of(code);
    const struct slot_form *f =
        kin < c->kins.len ? slot_find(c, &text->insns[index], c->kins.data[kin], masked) : NULL;
    return f ? (uint32_t)(f - c->forms.data) : MACHINE_NO_PART;
}

/* ---- for people ---- */

const char *const slot_kind_names[SLOT_KINDS] = {"AND",   "OR",   "XOR",  "SHIFT",
                                                 "SWEEP", "READ", "WRITE"};

static void row_text(uint16_t row, const uint64_t *constants, const struct insn *x,
                     struct str *out) {
    static const char *const roles[] = {"rs", "rt", "rd", "C", "M", "valid"};
    const uint8_t regs[] = {x ? x->rs : 0, x ? x->rt : 0, x ? x->rd : 0};
    if (row >= SLOT_CONSTANT)
        str_printf(out, "0x%" PRIx64, constants[row - SLOT_CONSTANT]);
    else if (row >= SLOT_SCRATCH)
        str_printf(out, "t%d", row - SLOT_SCRATCH);
    else if (row <= SLOT_RD && x)
        str_printf(out, "r%d", regs[row]);
    else
        str_append(out, roles[row]);
}

void slot_command_text(const struct slot_command *c, const uint64_t *constants,
                       const struct insn *insn, struct str *out) {
    str_printf(out, "%s ", slot_kind_names[c->kind]);
    row_text(c->dst, constants, insn, out);
    str_append(out, " <- ");
    row_text(c->a, constants, insn, out);
    str_append(out, ", ");
    if (c->kind == SLOT_SHIFT)
        str_printf(out, "%+d", c->shift);
    else
        row_text(c->b, constants, insn, out);
}

/* Some kin comes to the instruction, and carries it out by the form. */
static bool is_served(const struct slot_code *c, const struct slot_form *f,
                      const struct machine_program *p, uint32_t index) {
    bool served = false;
    for (uint32_t kin = 0; kin < machine_kin_count(p); kin++)
        served |= c->kins.data[kin] == f->slot && is_of(p, kin, index) &&
                  slot_find(c, &p->text->insns[index], f->slot, f->masked) == f;
    return served;
}

/* The first instruction of the text that the form serves, as it stands there but for registers. */
static void print_form(const struct slot_code *c, const struct slot_form *f,
                       const struct machine_program *p, struct str *out) {
    uint32_t uses = 0;
    for (uint32_t i = 0; i < p->text->len; i++) {
        if (is_served(c, f, p, i) && uses++ == 0)
            isa_format_insn(&p->text->insns[i], NULL, out);
    }
    if (!uses)
        return;
    str_append(out, f->masked ? ", masked" : "");
    if (c->kins.len > 1)
        str_printf(out, ", in slots of %u", f->slot);
    str_printf(out, ": %" PRIu32 " commands, of %" PRIu32 " instructions\n", f->count, uses);
    for (uint32_t i = 0; i < f->count; i++) {
        str_append(out, "  ");
        slot_command_text(&c->program.commands.data[f->first + i], c->program.constants.data, NULL,
                          out);
        str_char(out, '\n');
    }
}

static void print(const struct machine_code *code, const struct machine_library *l,
                  const struct machine_program *p, struct str *out) {
    const struct slot_code *c = slot_code_of(code);
    str_printf(out,
               "row programs for target %s: %zu, of %zu commands and %zu constants, in slots of",
               l->target->name, c->forms.len, c->program.commands.len, c->program.constants.len);
    for (size_t i = 0; i < c->kins.len; i++)
        if (!memchr(c->kins.data, c->kins.data[i], i) || !i)
            str_printf(out, "%s%u", i ? ", " : " ", c->kins.data[i]);
    str_append(out, " bits\n");
    for (size_t i = 0; i < c->forms.len; i++)
        print_form(c, &c->forms.data[i], p, out);
}

static const struct machine_format formats[] = {
    [SLOT_FORMAT_TEXT] = {.name = "text", .columns = MACHINE_NO_COLUMNS, .heading = ""},
    [SLOT_FORMAT_CSV] = {.name = "csv",
                         .columns = MACHINE_INSN_COLUMNS,
                         .heading = "command,result,first,second"},
    {.name = NULL, .heading = ""},
};

const struct machine slot_machine = {
    .kind = &slot_target_kind,
    .open = open_library,
    .close = close_library,
    .has = has,
    .why_not = why_not,
    .slots = slots,
    .fits = fits,
    .has_room = has_room,
    .lanes = lanes,
    .room = room,
    .code_version = 2,
    .build = build,
    .write = write_code,
    .read = read_code,
    .ready = ready,
    .free = free_code,
    .print = print,
    .load = load,
    .part_of = part_of,
    .formats = formats,
};
