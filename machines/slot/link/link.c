/* SPDX-License-Identifier: MIT
 * The link half: a library of row programs; code holds those of the forms that a text uses. */
#include "machines/slot/link/row_kernel.h"
#include "support/alloc.h"
#include "support/bits.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- library ---- */

static struct machine_library *open_library(const struct target *t, const struct user_file *files,
                                            size_t count, struct diag *d) {
    struct row_library *rows = row_library_open(files, count, d);
    (void)t;
    if (!rows)
        return NULL;
    struct slot_library *l = xcalloc(1, sizeof *l);
    l->rows = rows;
    return &l->base;
}

static const struct slot_library *library_of(const struct machine_library *l) {
    return (const struct slot_library *)(const void *)l;
}

static void close_library(struct machine_library *l) {
    row_library_close(library_of(l)->rows);
    free(l);
}

static const char *hash(const struct machine_library *l) {
    return row_library_hash(library_of(l)->rows);
}

static bool has(const struct machine_library *l, enum isa_op op) {
    return row_library_has(library_of(l)->rows, op);
}

static void why_not(const struct machine_library *l, enum isa_op op, struct str *out) {
    (void)l;
    if (isa_info(op)->flags & (ISA_FLOAT | ISA_BFLOAT) || isa_info(op)->set == SET_F)
        str_append(out, ": rows of slots shift all lanes alike, and floating point shifts each by "
                        "a distance of its own; use integers, or a target of bit planes");
    else
        str_append(out, ": there is no row program for it");
}

/* ---- fit ---- */

static const uint8_t slots[] = {1, 2, 4, 8, 16, 32, 64, 0};

static uint32_t lanes(const struct target *t, const uint8_t reg_bits[64]) {
    return slot_target_of(t)->row_bits / slot_width(reg_bits);
}

/* In two rows each. */
static uint32_t fixed_lanes(const struct target *t, const uint8_t reg_bits[64]) {
    return 2 * lanes(t, reg_bits);
}

static bool has_room(const struct target *t, const uint8_t reg_bits[64], struct str *problem) {
    uint32_t rows = slot_registers(reg_bits) + SLOT_MASK_ROWS, there = slot_target_of(t)->rows;
    if (rows > there)
        str_printf(problem,
                   "the registers, C, M and valid need %" PRIu32 " rows; target '%s' has %" PRIu32,
                   rows, t->name, there);
    return rows <= there;
}

static bool fits_as(const struct machine_library *l, const struct insn *insn,
                    const struct machine_kin *kin, bool masked, struct str *problem) {
    struct row_wanted wanted = slot_wanted(l->target, insn, kin->slot, kin->reg_bits, masked);
    struct row_pool pool = {.slot = wanted.slot};
    struct row_program p = {0};
    bool fine = row_program_for(library_of(l)->rows, insn, &wanted, &pool, &p, problem);
    if (fine) {
        uint32_t each = slot_rows_each(l->target, kin), there = slot_target_of(l->target)->rows;
        uint64_t rows =
            (uint64_t)each * (slot_registers(kin->reg_bits) + SLOT_MASK_ROWS + p.scratch) +
            pool.constants.len;
        fine = slot_compares(l->target, &p, problem);
        if (rows > there)
            str_printf(problem,
                       "with registers, C, M, valid, %" PRIu32 " scratch rows and %zu constants "
                       "it needs %" PRIu64 " rows; target '%s' has %" PRIu32,
                       p.scratch, pool.constants.len, rows, l->target->name, there);
        fine &= rows <= there;
    }
    row_program_free(&p);
    row_pool_free(&pool);
    return fine;
}

static bool fits(const struct machine_library *l, const struct insn *insn,
                 const struct machine_kin *kin, struct str *problem) {
    bool maskable = !(isa_info(insn->op)->flags & ISA_UNMASKED);
    return fits_as(l, insn, kin, maskable, problem);
}

/* ---- code ---- */

/* What makes instructions alike: of those that are not predicated, one form serves both. */
static struct slot_form key_of(const struct insn *x, uint32_t kin, const uint8_t reg_bits[64],
                               bool masked) {
    const struct isa_info *info = isa_info(x->op);
    return (struct slot_form){.kin = kin,
                              .opcode = info->opcode,
                              .width = x->width,
                              .imm = x->imm,
                              .lut = isa_has_table(x->op) ? x->lut : 0,
                              .masked = masked && !(info->flags & ISA_UNMASKED),
                              .none_above = slot_none_above(x, reg_bits)};
}

const struct slot_form *slot_form_of(const struct slot_code *c, const struct insn *insn,
                                     uint32_t kin, bool masked) {
    if (!c->forms.len || kin >= c->kins.len)
        return NULL;
    const struct slot_form wanted = key_of(insn, kin, c->kins.data[kin].reg_bits, masked);
    return bsearch(&wanted, c->forms.data, c->forms.len, sizeof wanted, slot_form_order);
}

static void list_parts(struct slot_code *c) {
    uint32_t first = 0;
    free(c->parts);
    c->parts = xcalloc(c->forms.len + 1, sizeof *c->parts);
    for (size_t i = 0; i < c->forms.len; i++) {
        uint32_t words = (uint32_t)c->forms.data[i].program.words.len;
        c->parts[i] = (struct machine_part){.first = first, .count = words};
        first += words;
    }
}

static bool add_form(struct slot_code *c, const struct machine_library *l, const struct insn *x,
                     uint32_t kin, bool masked, struct diag *d) {
    struct slot_kin *k = &c->kins.data[kin];
    struct slot_form f = key_of(x, kin, k->reg_bits, masked);
    struct row_wanted wanted = slot_wanted(l->target, x, k->slot, k->reg_bits, f.masked);
    struct str problem = {0};
    if (slot_form_of(c, x, kin, masked))
        return true;
    if (!row_program_for(library_of(l)->rows, x, &wanted, &k->pool, &f.program, &problem)) {
        diag_error(d, NO_SPAN, "there is no row program for %s: %s", isa_info(x->op)->name,
                   str_text(&problem));
        str_free(&problem);
        return false;
    }
    vec_push(&c->forms, f);
    for (size_t i = c->forms.len - 1; i && slot_form_order(&c->forms.data[i - 1], &f) > 0; i--) {
        c->forms.data[i] = c->forms.data[i - 1];
        c->forms.data[i - 1] = f;
    }
    return true;
}

/* The instruction is carried out in VRFs of the kin. */
static bool is_of(const struct machine_program *p, uint32_t kin, uint32_t index) {
    return insn_flags(&p->text->insns[index]) & ISA_VECTOR && machine_kin_reaches(p, kin, index);
}

static struct slot_kin kin_of(const struct machine_library *l, const struct machine_program *p,
                              uint32_t kin) {
    struct machine_kin all = {.lanes = 0};
    memcpy(all.reg_bits, p->reg_bits, sizeof all.reg_bits);
    all.slot = (uint8_t)slot_width(all.reg_bits);
    const struct machine_kin *x = p->kins ? &p->kins[kin] : &all;
    struct slot_kin k = {
        .slot = x->slot, .rows = slot_rows_each(l->target, x), .pool = {.slot = x->slot}};
    memcpy(k.reg_bits, x->reg_bits, sizeof k.reg_bits);
    return k;
}

static bool looks_up(const struct slot_form *f, uint32_t table) {
    struct row_cursor cursor = row_cursor(&f->program);
    struct row_command command;
    while (row_next(&cursor, &command))
        if (command.kind == ROW_QUERY && command.b == table)
            return true;
    return false;
}

/* The first instruction that looks the table up. */
static struct span place_of_table(const struct slot_code *c, const struct machine_program *p,
                                  uint32_t kin, uint32_t table) {
    for (uint32_t i = 0; i < p->text->len; i++) {
        const struct slot_form *f =
            is_of(p, kin, i) ? slot_form_of(c, &p->text->insns[i], kin, false) : NULL;
        if (f && looks_up(f, table))
            return machine_place(p, i);
    }
    return NO_SPAN;
}

static void rows_taken(const struct target *t, const struct machine_code *c,
                       const struct machine_program *p, uint32_t kin, struct machine_rows *out) {
    const struct slot_code *code = c ? slot_code_of(c) : NULL;
    const struct slot_kin *k = code && kin < code->kins.len ? &code->kins.data[kin] : NULL;
    uint32_t each = k ? k->rows : 1;
    *out = (struct machine_rows){.unit = "row",
                                 .bits = 64,
                                 .there = slot_target_of(t)->rows,
                                 .registers =
                                     (uint64_t)each * slot_registers(machine_kin_bits(p, kin)),
                                 .state = SLOT_MASK_ROWS * (uint64_t)each};
    out->constants = k ? k->pool.constants.len : 0;
    if (k) {
        struct slot_tables x = slot_kin_tables(t, code, kin);
        out->copies = x.copies;
        slot_tables_free(&x);
    }
    for (uint32_t i = 0; k && i < p->text->len; i++)
        for (unsigned masked = 0; masked < 2 && is_of(p, kin, i); masked++) {
            const struct slot_form *f = slot_form_of(code, &p->text->insns[i], kin, masked);
            if (!f || (uint64_t)each * f->program.scratch <= out->scratch)
                continue;
            out->scratch = (uint64_t)each * f->program.scratch;
            out->needs = i;
            out->masked = masked;
        }
}

/* Why a table is loaded for each query: the bank does not hold it; or its master copy has no room,
 * neither beside registers nor in pairs that hold none. */
static void warn_of_table(const struct slot_code *c, const struct machine_library *l,
                          const struct machine_program *p, uint32_t kin, uint32_t table,
                          struct diag *d) {
    const struct slot_kin *k = &c->kins.data[kin];
    uint64_t rows = slot_table_rows(&k->pool.tables.data[table]);
    struct slot_table_shape shape = slot_table_shape(l->target, rows);
    struct span at = place_of_table(c, p, kin, table);
    if (slot_table_turns(l->target, &shape) > 1) {
        diag_warning(d, W_TABLE_TURNS, at,
                     "a table of %" PRIu64 " rows needs %" PRIu32
                     " subarrays; a bank of target '%s' has %" PRIu32
                     ": it is loaded in turns for each query",
                     rows, shape.parts, l->target->name, l->target->vrf_per_rfh);
        return;
    }
    if (!slot_keeps_copies(l->target)) {
        diag_warning(d, W_TABLE_TURNS, at,
                     "a table of %" PRIu64 " rows needs %" PRIu32 " subarrays; of the %" PRIu32
                     " of a bank of target '%s' other tables leave "
                     "%" PRIu32 ": it is loaded for each query",
                     rows, shape.parts, l->target->vrf_per_rfh, l->target->name,
                     k->pairs + k->own_pairs);
        return;
    }
    struct machine_rows r;
    rows_taken(l->target, &c->base, p, kin, &r);
    uint64_t taken = machine_rows_taken(&r), left = r.there > taken ? r.there - taken : 0;
    struct slot_tables x = slot_kin_tables(l->target, c, kin);
    diag_warning(d, W_TABLE_TURNS, at,
                 "a table of %" PRIu64 " rows is loaded for each query, since target '%s' has no "
                 "room for its master copy: registers, masks, scratch, constants and other copies "
                 "leave %" PRIu64 " of %" PRIu64 " rows, and of the %" PRIu32
                 " pairs of a bank %" PRIu64 " hold neither registers nor other tables",
                 rows, l->target->name, left, r.there, l->target->vrf_per_rfh, k->pairs - x.parts);
    slot_tables_free(&x);
}

static void warn_of_tables(const struct slot_code *c, const struct machine_library *l,
                           const struct machine_program *p, uint32_t kin, struct diag *d) {
    struct slot_tables x = slot_kin_tables(l->target, c, kin);
    for (uint32_t i = 0; i < x.count; i++)
        if (x.homes[i] == SLOT_HOME_QUERY)
            warn_of_table(c, l, p, kin, i, d);
    slot_tables_free(&x);
}

static struct machine_code *build(const struct machine_library *l, const struct machine_program *p,
                                  struct diag *d) {
    struct slot_code *c = slot_code_new();
    bool fine = true;
    for (uint32_t kin = 0; kin < machine_kin_count(p); kin++)
        vec_push(&c->kins, kin_of(l, p, kin));
    for (uint32_t kin = 0; fine && kin < machine_kin_count(p); kin++)
        for (uint32_t i = 0; fine && i < p->text->len; i++)
            for (unsigned masked = 0; fine && masked < 2 && is_of(p, kin, i); masked++)
                fine = add_form(c, l, &p->text->insns[i], kin, masked, d);
    if (fine)
        slot_share_banks(l->target, c, p);
    for (uint32_t kin = 0; fine && kin < machine_kin_count(p); kin++)
        warn_of_tables(c, l, p, kin, d);
    if (!fine) {
        slot_code_discard(&c->base);
        return NULL;
    }
    list_parts(c);
    return &c->base;
}

static bool ready(struct machine_code *code, const struct machine_library *l,
                  const struct machine_program *p) {
    bool fine = machine_code_serves(code, l, p);
    list_parts((struct slot_code *)(void *)code);
    return fine;
}

/* A row a register, whatever it leaves of a slot. */
static struct machine_room room(const struct target *t, unsigned slot) {
    const struct slot_target *own = slot_target_of(t);
    uint32_t rows = own->rows > SLOT_MASK_ROWS ? own->rows - SLOT_MASK_ROWS : 0;
    return (struct machine_room){slot, rows, own->row_bits / slot};
}

/* ---- load ---- */

static void load(const struct machine_code *code, struct machine_load *out) {
    const struct slot_code *c = slot_code_of(code);
    out->parts = c->parts;
    out->part_count = (uint32_t)c->forms.len;
    for (size_t i = 0; i < c->forms.len; i++)
        out->words += (uint32_t)c->forms.data[i].program.words.len;
    struct str bytes = {0};
    slot_code_write(code, &bytes);
    out->bytes = bytes.len;
    str_free(&bytes);
}

static uint32_t part_of(const struct machine_code *code, const struct text *text, uint32_t index,
                        uint32_t kin, bool masked) {
    const struct slot_code *c = slot_code_of(code);
    const struct slot_form *f = slot_form_of(c, &text->insns[index], kin, masked);
    return f ? (uint32_t)(f - c->forms.data) : MACHINE_NO_PART;
}

static const struct machine_form *const forms[] = {&slot_row_form, NULL};

const struct machine slot_kind_machine = {
    .kind = &slot_kind_of_target,
    .open = open_library,
    .close = close_library,
    .hash = hash,
    .has = has,
    .why_not = why_not,
    .slots = slots,
    .fits = fits,
    .has_room = has_room,
    .lanes = lanes,
    .fixed_lanes = fixed_lanes,
    .code_version = 3,
    .build = build,
    .write = slot_code_write,
    .read = slot_code_read,
    .ready = ready,
    .free = slot_code_discard,
    .rows = rows_taken,
    .room = room,
    .print = slot_print,
    .try = slot_try,
    .figures = slot_figures,
    .routine = slot_routine,
    .load = load,
    .part_of = part_of,
    .formats = slot_formats,
    .forms = forms,
};
