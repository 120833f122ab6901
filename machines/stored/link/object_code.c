/* SPDX-License-Identifier: MIT
 * Routines as the library, room for registers, object code as the code part of a package. */
#include "machines/stored/link/stored.h"

#include "object/bytes.h"
#include "object/object.h"
#include "support/alloc.h"
#include "support/file.h"

#include <stdlib.h>
#include <string.h>

/* ---- library: all routines, which must assemble ---- */

struct stored_library {
    struct machine_library base;
    char hash[65];
};

static const struct stored_kind *kind_of_target(const struct target *t) {
    for (size_t i = 0; machine_list[i]; i++)
        if (machine_list[i]->kind == t->kind)
            return machine_list[i]->own;
    return NULL; /* a target is of a kind that is in the list */
}

static bool check_routine(const struct stored_kind *kind, enum isa_op op, struct diag *d) {
    struct str wrong = {0};
    stored_words words = {0};
    bool fine = stored_assemble(&kind->isa, kind->routines[op],
                                &(struct insn){.width = 64, .imm = 1}, &words, &wrong);
    if (!fine)
        diag_error(d, NO_SPAN, "routine of %s: '%s'", isa_info(op)->name, str_text(&wrong));
    str_free(&wrong);
    vec_free(&words);
    return fine;
}

struct machine_library *stored_open(const struct target *t, const struct user_file *files,
                                    size_t count, struct diag *d) {
    const struct stored_kind *kind = kind_of_target(t);
    struct stored_library *l = xcalloc(1, sizeof *l);
    struct str all = {0};
    bool fine = true;
    (void)files, (void)count; /* recipes are nothing to a core */
    for (unsigned op = 0; op < OP_COUNT; op++)
        if (kind->routines[op]) {
            fine &= check_routine(kind, (enum isa_op)op, d);
            str_printf(&all, "%u %s\n", op, kind->routines[op]);
        }
    sha256_hex(all.text, all.len, l->hash);
    str_free(&all);
    if (fine)
        return &l->base;
    free(l);
    return NULL;
}

void stored_close(struct machine_library *l) {
    free(l);
}

const char *stored_hash(const struct machine_library *l) {
    return ((const struct stored_library *)(const void *)l)->hash;
}

bool stored_has(const struct machine_library *l, enum isa_op op) {
    return stored_kind(l)->routines[op] != NULL;
}

/* ---- fit: the registers of a lane lie in the memory of its unit ---- */

uint32_t stored_lanes(const struct target *t, const uint8_t reg_bits[64]) {
    uint64_t bytes = 0, room = stored_keys(t)->memory_bytes;
    for (unsigned r = 0; r < 64; r++)
        bytes += reg_bits[r] ? 8 : 0;
    return bytes && room / bytes < t->lanes ? (uint32_t)(room / bytes) : t->lanes;
}

bool stored_has_room(const struct target *t, const uint8_t reg_bits[64], struct str *problem) {
    if (stored_lanes(t, reg_bits))
        return true;
    str_append(problem, "the memory of a core does not hold the registers of one lane");
    return false;
}

uint64_t stored_memory(const struct target *t) {
    return stored_keys(t)->buffer_bytes;
}

/* ---- code: the object code of each run of the text ---- */

static bool translate_one(const struct stored_kind *kind, const struct insn *x, bool masked,
                          stored_words *out) {
    struct str text = {0}, wrong = {0};
    const char *routine = kind->routines[x->op];
    if (masked && !(isa_info(x->op)->flags & ISA_UNMASKED))
        str_append(&text, kind->predicate);
    str_append(&text, routine ? routine : "?");
    bool fine = stored_assemble(&kind->isa, str_text(&text), x, out, &wrong);
    str_free(&text);
    str_free(&wrong);
    return fine;
}

/* A run in numbers: how many follow, its instructions, its predication; then the arrays of struct
 * stored_run. */
enum { HEAD = 3 };

bool stored_translate(const struct stored_kind *kind, const struct insn *insns, size_t count,
                      bool masked, stored_words *out) {
    size_t at = out->len, words = at + HEAD + 2 * count;
    bool fine = true;
    for (size_t i = at; i < words; i++)
        vec_push(out, 0);
    out->data[at + 1] = count;
    out->data[at + 2] = masked;
    for (size_t i = 0; i < count && fine; i++) {
        uint32_t flags = isa_info(insns[i].op)->flags;
        uint32_t text = 0;
        fine =
            isa_encode(&insns[i], &text) == ISA_OK && translate_one(kind, &insns[i], masked, out);
        out->data[at + HEAD + i] = text;
        out->data[at + HEAD + count + i] = out->len - words;
        masked = (masked || flags & ISA_PREDICATE_ON) && !(flags & ISA_PREDICATE_OFF);
    }
    out->data[at] = out->len - at - 1;
    return fine;
}

static bool run_fine(const struct stored_kind *kind, const struct stored_run *r, size_t room) {
    for (uint32_t i = 0; i < r->count; i++) {
        uint64_t begin = stored_begin(r, i), end = r->ends[i];
        if (end < begin || end > room ||
            !stored_words_fine(&kind->isa, r->words + begin, end - begin))
            return false;
    }
    return r->count && r->ends[r->count - 1] == room;
}

bool stored_next_run(const struct stored_kind *kind, const stored_words *data, size_t *at,
                     struct stored_run *out, bool *fine) {
    size_t left = data->len - *at;
    *fine = true;
    if (!left)
        return false;
    const uint64_t *x = data->data + *at;
    *fine = left >= HEAD && x[0] >= HEAD - 1 && x[0] < left && x[1] <= (x[0] + 1 - HEAD) / 2 &&
            x[2] < 2;
    if (!*fine)
        return false;
    *out =
        (struct stored_run){(uint32_t)x[1], x[2], x + HEAD, x + HEAD + x[1], x + HEAD + 2 * x[1]};
    *at += x[0] + 1;
    return *fine = run_fine(kind, out, x[0] + 1 - HEAD - 2 * x[1]);
}

static struct stored_code *code_of(struct machine_code *c) {
    return (struct stored_code *)(void *)c;
}
static const stored_words *data_of(const struct machine_code *c) {
    return &((const struct stored_code *)(const void *)c)->data;
}

void stored_free(struct machine_code *c) {
    vec_free(&code_of(c)->data);
    free(c);
}

/* A run that has an instruction without a routine is left out: the linker refuses those that may be
 * carried out, and others stand behind an `else` that the target does not take. */
struct machine_code *stored_build(const struct machine_library *l, const struct machine_program *p,
                                  struct diag *d) {
    struct stored_code *c = xcalloc(1, sizeof *c);
    const struct text *t = p->text;
    (void)d;
    c->base.machine = l->machine;
    for (uint32_t i = 0, end; i<t->len; i = end> i ? end : i + 1) {
        end = object_text_run_end(t, i);
        for (unsigned masked = 0; end > i && masked < 2; masked++) {
            const size_t before = c->data.len;
            if (!stored_translate(stored_kind(l), &t->insns[i], end - i, masked, &c->data))
                c->data.len = before;
        }
    }
    return &c->base;
}

/* In a package words of routines take word_bytes, and all other numbers of a run 4. */
static size_t numbers_of(const struct stored_run *r) {
    return HEAD + 2 * (size_t)r->count;
}

void stored_write(const struct machine_code *c, struct str *out) {
    const struct stored_kind *kind = c->machine->own;
    const stored_words *data = data_of(c);
    struct stored_run run;
    bool fine;
    for (size_t at = 0, from = 0; stored_next_run(kind, data, &at, &run, &fine); from = at) {
        for (size_t i = from; i < from + numbers_of(&run); i++)
            put_u32(out, (uint32_t)data->data[i]);
        for (size_t i = from + numbers_of(&run); i < at; i++)
            stored_put_word(&kind->isa, data->data[i], out);
    }
}

/* Appends the numbers of one run; false: these bytes are none. */
static bool read_run(const struct stored_isa *isa, const unsigned char **at,
                     const unsigned char *end, stored_words *out) {
    size_t left = (size_t)(end - *at), bytes = stored_word_bytes(isa);
    uint64_t numbers = left < 4 * HEAD ? 0 : (uint64_t)get_u32(*at) + 1;
    uint64_t head = left < 4 * HEAD ? 1 : HEAD + 2 * (uint64_t)get_u32(*at + 4);
    if (numbers < head || 4 * head > left || (numbers - head) * bytes > left - 4 * head)
        return false;
    for (uint64_t i = 0; i < head; i++, *at += 4)
        vec_push(out, get_u32(*at));
    for (uint64_t i = head; i < numbers; i++, *at += bytes)
        vec_push(out, stored_get_word(isa, *at));
    return true;
}

struct machine_code *stored_read(const struct stored_kind *kind, const void *bytes, size_t size,
                                 const char **problem) {
    struct stored_code *c = xcalloc(1, sizeof *c);
    const unsigned char *byte = bytes, *end = byte + size;
    struct stored_run run;
    bool fine = true;
    c->base.machine = kind->machine;
    while (fine && byte < end)
        fine = read_run(&kind->isa, &byte, end, &c->data);
    for (size_t at = 0; fine && stored_next_run(kind, &c->data, &at, &run, &fine);) {
    }
    if (fine)
        return &c->base;
    *problem = "its object code is damaged";
    stored_free(&c->base);
    return NULL;
}

/* ---- for people; load ---- */

static void print_run(const struct stored_isa *isa, const struct stored_run *r,
                      const struct isa_users *users, struct str *out) {
    struct insn x;
    str_printf(out, "run of %u, %s\n", r->count, r->masked ? "masked" : "unmasked");
    for (uint32_t i = 0; i < r->count; i++) {
        str_append(out, "  ");
        if (isa_decode((uint32_t)r->text[i], &x) == ISA_OK)
            isa_users_format(users, &x, NULL, out);
        str_char(out, '\n');
        for (uint64_t begin = stored_begin(r, i), w = begin; w < r->ends[i]; w++) {
            str_printf(out, "%6u  ", (unsigned)(w - begin));
            stored_print_hex(isa, r->words[w], out);
            str_append(out, "  ");
            stored_print_word(isa, r->words[w], out);
            str_char(out, '\n');
        }
    }
}

void stored_print(const struct machine_code *c, const struct machine_library *l,
                  const struct machine_program *p, struct str *out) {
    static const struct isa_users none;
    const struct stored_kind *kind = c->machine->own;
    struct stored_run run;
    bool fine;
    (void)l;
    for (size_t at = 0; stored_next_run(kind, data_of(c), &at, &run, &fine);)
        print_run(&kind->isa, &run, p->users ? p->users : &none, out);
}

/* Object code goes over the host's link before the program starts. */
void stored_load(const struct machine_code *c, struct machine_load *out) {
    const struct stored_kind *kind = c->machine->own;
    struct stored_run run;
    bool fine;
    for (size_t at = 0, from = 0; stored_next_run(kind, data_of(c), &at, &run, &fine); from = at)
        out->bytes +=
            4 * numbers_of(&run) + (at - from - numbers_of(&run)) * stored_word_bytes(&kind->isa);
}

const struct machine_format stored_formats[STORED_FORMATS + 1] = {
    [STORED_FORMAT_TEXT] = {.name = "text", .columns = MACHINE_NO_COLUMNS, .heading = ""},
    [STORED_FORMAT_CSV] = {.name = "csv",
                           .columns = MACHINE_INSN_COLUMNS,
                           .heading = "lane,word,instruction"},
};
