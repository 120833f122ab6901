/* SPDX-License-Identifier: MIT
 * Asks a kind, and gives the answer that stands for a function which the kind does not have. */
#include "machines/machine.h"
#include "recipe/set/recipe.h"
#include "support/alloc.h"

#include <stdlib.h>
#include <string.h>

void machine_library_keep(struct machine_library *library, const char *folder) {
    if (library->machine->keep && folder)
        library->machine->keep(library, folder);
}

void machine_library_close(struct machine_library *library) {
    if (!library)
        return;
    recipe_contracts_free(library->contracts);
    library->machine->close(library);
}

/* ---- code ---- */

static struct machine_code *no_code(const struct machine *machine) {
    struct machine_code *c = xcalloc(1, sizeof *c);
    c->machine = machine;
    return c;
}

struct machine_code *machine_code_build(const struct machine_library *library,
                                        const struct machine_program *program, struct diag *diag) {
    const struct machine *m = library->machine;
    return m->build ? m->build(library, program, diag) : no_code(m);
}

void machine_code_write(const struct machine_code *code, struct str *out) {
    if (code->machine->write)
        code->machine->write(code, out);
}

struct machine_code *machine_code_read(const struct machine *machine, const void *bytes,
                                       size_t size, const char **problem) {
    if (machine->read)
        return machine->read(bytes, size, problem);
    *problem = "it has code for a machine that needs none";
    return size ? NULL : no_code(machine);
}

bool machine_code_ready(struct machine_code *code, const struct machine_library *library,
                        const struct machine_program *program) {
    return !library->machine->ready || library->machine->ready(code, library, program);
}

void machine_code_free(struct machine_code *code) {
    if (code && code->machine->free)
        code->machine->free(code);
    else
        free(code);
}

bool machine_code_serves(struct machine_code *code, const struct machine_library *library,
                         const struct machine_program *program) {
    struct diag *quiet = diag_new(NULL, NULL);
    struct machine_code *now = machine_code_build(library, program, quiet);
    struct str wanted = {0}, there = {0};
    diag_free(quiet);
    machine_code_write(code, &there);
    if (now)
        machine_code_write(now, &wanted);
    bool same = now && there.len == wanted.len &&
                (!there.len || memcmp(there.text, wanted.text, there.len) == 0);
    str_free(&wanted);
    str_free(&there);
    machine_code_free(now);
    return same;
}

void machine_golden(const struct machine_library *library, enum isa_op op,
                    struct golden_lane *lane) {
    lane->flush = library->target->arith == ARITH_FLUSH;
    if (isa_info(op)->golden)
        isa_info(op)->golden(lane);
    else
        recipe_contracts_run(library->contracts, op, lane);
}

/* ---- what a kind may leave out ---- */

const char *machine_hash(const struct machine_library *library) {
    return library->machine->hash ? library->machine->hash(library) : NULL;
}

bool machine_has(const struct machine_library *library, enum isa_op op) {
    if (library->machine->has)
        return library->machine->has(library, op);
    return !(isa_info(op)->flags & ISA_USER) || recipe_contracts_have(library->contracts, op);
}

void machine_why_not(const struct machine_library *library, enum isa_op op, struct str *out) {
    if (library->machine->why_not)
        library->machine->why_not(library, op, out);
}

uint32_t machine_slot_bits(const struct machine *machine, const uint8_t reg_bits[64]) {
    const uint8_t *slot = machine->slots;
    for (unsigned r = 0; slot && r < 64; r++)
        while (*slot < reg_bits[r]) /* registers have 64 bits at most, and so has the last slot */
            slot++;
    return slot ? *slot : 64;
}

uint32_t machine_slot_of(const struct machine *machine, unsigned bits) {
    return machine_slot_bits(machine, (const uint8_t[64]){(uint8_t)bits});
}

uint32_t machine_kin_slot(const struct machine *machine, const struct machine_program *program,
                          uint32_t kin) {
    return program->kins ? program->kins[kin].slot : machine_slot_bits(machine, program->reg_bits);
}

uint32_t machine_next_slot(const struct machine *machine, unsigned slot) {
    return slot < 64 ? machine_slot_of(machine, slot + 1) : 0;
}

bool machine_fits(const struct machine_library *library, const struct insn *insn,
                  const struct machine_kin *kin, struct str *problem) {
    return !library->machine->fits || library->machine->fits(library, insn, kin, problem);
}

enum machine_proof machine_prove(const struct machine_library *library, const struct insn *insn,
                                 bool masked, unsigned *undecided, struct diag *diag) {
    return library->machine->prove ? library->machine->prove(library, insn, masked, undecided, diag)
                                   : PROOF_NEEDLESS;
}

enum machine_trial machine_try(const struct machine_library *library, const struct insn *insn,
                               bool masked, struct diag *diag) {
    return library->machine->try ? library->machine->try(library, insn, masked, diag)
                                 : TRIAL_NEEDLESS;
}

bool machine_has_room(const struct machine_library *library, const uint8_t reg_bits[64],
                      struct str *problem) {
    return !library->machine->has_room ||
           library->machine->has_room(library->target, reg_bits, problem);
}

uint32_t machine_lanes(const struct machine *machine, const struct target *target,
                       const uint8_t reg_bits[64]) {
    return machine->lanes ? machine->lanes(target, reg_bits) : target->lanes;
}

uint32_t machine_fixed_lanes(const struct machine *machine, const struct target *target,
                             const uint8_t reg_bits[64]) {
    return machine->fixed_lanes ? machine->fixed_lanes(target, reg_bits)
                                : machine_lanes(machine, target, reg_bits);
}

void machine_load(const struct machine_code *code, struct machine_load *out) {
    *out = (struct machine_load){.parts = NULL};
    if (code->machine->load)
        code->machine->load(code, out);
}

uint32_t machine_part_of(const struct machine_code *code, const struct text *text, uint32_t index,
                         uint32_t kin, bool masked) {
    return code->machine->part_of ? code->machine->part_of(code, text, index, kin, masked)
                                  : MACHINE_NO_PART;
}

/* ---- kernels ---- */

void machine_kernel_free(struct machine_kernel *kernel) {
    str_free(&kernel->code);
    free(kernel->lines);
    for (size_t i = 0; i < kernel->turns.len; i++)
        str_free(&kernel->turns.data[i].what);
    vec_free(&kernel->turns);
    *kernel = (struct machine_kernel){.mpus = 0};
}

void machine_entries_free(struct machine_entries *entries) {
    vec_free(&entries->entries);
    vec_free(&entries->buffers);
    arena_free(&entries->arena);
}

static bool is_text(const char *text, const char *name, size_t n) {
    return strlen(text) == n && memcmp(text, name, n) == 0;
}

static bool is_also(const struct machine_entry *entry, const char *name, size_t n) {
    for (size_t i = 0; entry->also && entry->also[i]; i++)
        if (is_text(entry->also[i], name, n))
            return true;
    return false;
}

const struct machine_entry *machine_entry_named(const struct machine_entries *entries,
                                                const char *name, size_t n, struct str *problem) {
    const struct machine_entry *found = NULL;
    for (size_t i = 0; i < entries->entries.len; i++)
        if (is_text(entries->entries.data[i].name, name, n))
            return &entries->entries.data[i];
    for (size_t i = 0; i < entries->entries.len; i++) {
        const struct machine_entry *e = &entries->entries.data[i];
        if (!is_also(e, name, n))
            continue;
        if (found) {
            str_printf(problem, "two kernels are called '%.*s': %s and %s", (int)n, name,
                       found->name, e->name);
            return NULL;
        }
        found = e;
    }
    return found;
}

bool machine_each_run(const struct machine_program *program,
                      bool (*visit)(void *context, uint32_t first, uint32_t count, bool masked),
                      void *context) {
    const struct text *text = program->text;
    uint8_t *masks = xcalloc(text->len + 1, 1);
    bool fine = true;
    object_text_find_masks(text, masks);
    for (uint32_t i = 0, end; fine && i<text->len; i = end> i ? end : i + 1) {
        end = object_text_run_end(text, i);
        for (unsigned masked = 0; fine && end > i && masked < 2; masked++)
            if (machine_is_taken(program, i) && masks[i] & (masked ? TEXT_MASKED : TEXT_PLAIN))
                fine = visit(context, i, end - i, masked);
    }
    free(masks);
    return fine;
}

void machine_fault_from_error(void *context, const struct diag *diag,
                              const struct message *message) {
    struct machine_kernel_fault *fault = context;
    if (message->severity != SEVERITY_ERROR || fault->what.len)
        return;
    str_append(&fault->what, message->text);
    diag_position(diag, message->at, &fault->line, &fault->column);
}
