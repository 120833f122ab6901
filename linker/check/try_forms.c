/* SPDX-License-Identifier: MIT
 * What is not the tools' own is tried before anything runs: each form that the text has, of an
 * instruction, a width, a constant, registers that are one, with and without a mask. */
#include "linker/linker.h"
#include "linker/package/pack.h"
#include "linker/where.h"

#include "support/hash_table.h"

#include <inttypes.h>

/* Without padding, since keys are compared as bytes. */
struct form_key {
    uint32_t op;
    int32_t imm; /* of LUT the number of its table */
    uint8_t width, same, masked, zero;
};

static struct form_key key_of(const struct insn *insn, bool masked) {
    unsigned same = (unsigned)(insn->rs == insn->rt) | (unsigned)(insn->rs == insn->rd) << 1 |
                    (unsigned)(insn->rt == insn->rd) << 2;
    return (struct form_key){
        .op = (uint32_t)insn->op,
        .imm = isa_has_table(insn->op) ? insn->lut : insn->imm,
        .width = insn->width,
        .same = (uint8_t)same,
        .masked = masked,
    };
}

/* The forms of a text that were not visited yet. */
struct form_walk {
    HASH_TABLE(struct form_key, uint8_t) seen;
    package_form_visit *visit;
    void *context;
};

static bool visit_form(struct form_walk *walk, const struct text *text, uint32_t index,
                       bool masked) {
    const struct insn *insn = &text->insns[index];
    struct form_key key = key_of(insn, masked);
    if (hash_table_get(&walk->seen, &key))
        return true;
    *(uint8_t *)hash_table_put(&walk->seen, &key) = 1;
    return walk->visit(walk->context, insn, masked, index);
}

void package_each_form(const struct package *package, package_form_visit *visit, void *context) {
    struct arena arena = {0};
    struct text text;
    struct form_walk walk = {.visit = visit, .context = context};
    object_text_load(&text, package->text, package->text_count, package->luts, &arena);
    uint8_t *masks = ARENA_ARRAY(&arena, (size_t)text.len + 1, uint8_t);
    object_text_find_masks(&text, masks);
    bool on = true;
    for (uint32_t i = 0; i < text.len && on; i++) {
        if (!(insn_flags(&text.insns[i]) & ISA_VECTOR))
            continue;
        on = (!(masks[i] & TEXT_PLAIN) || visit_form(&walk, &text, i, false)) &&
             (!(masks[i] & TEXT_MASKED) || visit_form(&walk, &text, i, true));
    }
    hash_table_free(&walk.seen);
    arena_free(&arena);
}

struct trial_run {
    struct pack *pack;
    bool failed[OP_COUNT]; /* is reported once */
};

static bool try_form(void *context, const struct insn *insn, bool masked, uint32_t index) {
    struct trial_run *run = context;
    struct pack *pack = run->pack;
    if (run->failed[insn->op] || !machine_has(pack->library, insn->op))
        return true;
    enum machine_trial result = machine_try(pack->library, insn, masked, pack->d);
    pack->p->tested += result == TRIAL_HOLDS;
    if (result != TRIAL_FAILS)
        return true;
    run->failed[insn->op] = true;
    diag_note(pack->d, package_pack_span(pack, index),
              "instruction %" PRIu32 " of the program uses it", index);
    link_note_where(pack->program, index, pack->d);
    return !diag_full(pack->d);
}

void package_try_forms(struct pack *pack) {
    struct trial_run run = {.pack = pack};
    package_each_form(pack->p, try_form, &run);
}
