/* SPDX-License-Identifier: MIT
 * The memory of forms, and how one is made: expanded, translated, counted; then laid out on a
 * machine. */
#include "machines/plane/run/insn_forms.h"

#include "recipe/set/words.h"
#include "support/map.h"

#include <stdlib.h>
#include <string.h>

#define MOST_BYTES (64u << 20)

struct plane_forms {
    pthread_mutex_t lock;
    struct map by_insn; /* to their numbers in the list */
    VEC(struct plane_form *) list;
    size_t bytes;
};

void plane_form_free(struct plane_form *form) {
    if (!form)
        return;
    free(form->uops);
    free(form->steps);
    free(form->kinds);
    free(form->needs);
    free(form->writes);
    free(form);
}

static void forms_free(struct plane_forms *forms) {
    for (size_t i = 0; i < forms->list.len; i++)
        plane_form_free(forms->list.data[i]);
    vec_free(&forms->list);
    map_free(&forms->by_insn);
    pthread_mutex_destroy(&forms->lock);
    free(forms);
}

struct plane_forms *plane_forms_of(const struct machine_library *library) {
    struct plane_library *l = (struct plane_library *)(uintptr_t)library;
    struct plane_forms *made = atomic_load_explicit(&l->forms, memory_order_acquire);
    if (made || !l->keeps_forms)
        return made;
    struct plane_forms *own = xcalloc(1, sizeof *own);
    pthread_mutex_init(&own->lock, NULL);
    l->free_forms = forms_free;
    if (atomic_compare_exchange_strong(&l->forms, &made, own))
        return own;
    forms_free(own);
    return made;
}

size_t plane_form_bytes(const struct plane_form *form) {
    size_t lists = !form->uops ? 0
                               : (form->uop_count + 1) * sizeof *form->uops +
                                     (form->step_count + 1) * sizeof *form->steps;
    return sizeof *form + lists + (form->kind_count + 1) * sizeof *form->kinds +
           (form->need_count + 1) * sizeof *form->needs +
           (form->write_count + 1) * sizeof *form->writes;
}

/* --- what micro-ops take --- */

static void *copy(const void *from, size_t count, size_t size) {
    void *to = xreallocarray(NULL, count + 1, size);
    return count ? memcpy(to, from, count * size) : to;
}

static void add(uint64_t *sum, uint64_t more) {
    *sum = sat_add(*sum, more);
}

static bool is_mask(uint32_t plane) {
    return PLANE_CLASS(plane) == PLANE_M || PLANE_CLASS(plane) == PLANE_VALID;
}

static bool writes_m(const struct uop *uop) {
    bool writes = false;
    for (unsigned k = 0; k < uop->ndst; k++)
        writes |= PLANE_CLASS(uop->dst[k]) == PLANE_M;
    return writes;
}

/* What moves the mask itself reaches every lane; the mask gates all else. */
static bool is_gated(const struct uop *uop) {
    bool mask = writes_m(uop);
    for (unsigned k = 0; k < uop->nsrc; k++)
        mask |= is_mask(uop->src[k]);
    return !mask;
}

static void need_plane(uint8_t needs[64], uint32_t plane) {
    unsigned reg = PLANE_NUMBER(plane) >> 6 & 63, bits = (PLANE_NUMBER(plane) & 63) + 1;
    if (PLANE_CLASS(plane) == PLANE_REGISTER && bits > needs[reg])
        needs[reg] = (uint8_t)bits;
}

/* `unmasked`: of an instruction that ignores the mask, whose micro-ops act on every lane. */
static void count_uop(struct plane_form *form, struct plane_form_kind *kinds,
                      const struct target *target, const struct uop *uop, bool unmasked) {
    const struct target_op *op = &plane_target(target)->ops[uop->kind];
    struct plane_form_kind *kind = &kinds[uop->kind];
    bool word = !recipe_word_goes_on(target, uop);
    kind->words += word;
    form->micro_ops += word;
    form->uop_slots += !uop->forwarded;
    form->writes_m |= writes_m(uop);
    if (plane_counts_lanes(target) && !unmasked && is_gated(uop))
        add(&kind->lane_fj, op->energy);
    else
        add(&kind->parts, plane_op_parts(target, op));
}

static void count_uops(struct plane_form *form, const struct target *target, bool unmasked) {
    uint32_t ops = plane_target(target)->op_count;
    struct plane_form_kind *kinds = xcalloc((size_t)ops + 1, sizeof *kinds);
    struct plane_form_need found[64];
    uint8_t needs[64] = {0};
    for (size_t i = 0; i < form->uop_count; i++) {
        const struct uop *uop = &form->uops[i];
        kinds[uop->kind].kind = 1; /* it is there */
        count_uop(form, kinds, target, uop, unmasked);
        for (unsigned k = 0; k < uop->nsrc; k++)
            need_plane(needs, uop->src[k]);
        for (unsigned k = 0; k < uop->ndst; k++)
            need_plane(needs, uop->dst[k]);
    }
    for (uint32_t k = 0; k < ops; k++)
        if (kinds[k].kind) {
            kinds[form->kind_count] = kinds[k];
            kinds[form->kind_count++].kind = k;
        }
    for (unsigned r = 0; r < 64; r++)
        if (needs[r])
            found[form->need_count++] = (struct plane_form_need){(uint8_t)r, needs[r]};
    form->kinds = copy(kinds, form->kind_count, sizeof *kinds);
    form->needs = copy(found, form->need_count, sizeof *found);
    free(kinds);
}

/* --- making --- */

void plane_form_maker_free(struct plane_form_maker *maker) {
    vec_free(&maker->uops);
    plane_translation_free(&maker->translation);
}

struct plane_form *plane_form_make(struct plane_form_maker *maker, const struct uop *uops,
                                   size_t count, bool unmasked) {
    const struct target *target = maker->machine->target;
    struct run_translation *t = &maker->translation;
    t->target = target;
    t->diag = maker->diag;
    t->scratch_slots = 0;
    vec_clear(&t->steps);
    if (!plane_translate(t, uops, count))
        return NULL;
    struct plane_form *form = xcalloc(1, sizeof *form);
    form->uops = copy(uops, count, sizeof *uops);
    form->uop_count = count;
    form->steps = copy(t->steps.data, t->steps.len, sizeof *t->steps.data);
    form->step_count = t->steps.len;
    form->scratch_slots = t->scratch_slots;
    count_uops(form, target, unmasked);
    plane_form_count_writes(form, &t->map);
    return form;
}

/* From the program's code, where the machine has it: that has what the library's recipes give
 * (recipe/table/table.h). */
static bool expand(struct plane_form_maker *maker, const struct insn *insn, bool masked) {
    const struct plane_machine *m = maker->machine;
    vec_clear(&maker->uops);
    if (m->setup.code)
        return recipe_table_expand(plane_table(m->setup.code), insn, masked, &maker->uops,
                                   maker->diag);
    return recipe_expand(m->recipes, insn, masked, &maker->uops, maker->diag);
}

/* --- the memory --- */

/* All that the micro-ops follow from, as bytes. */
static void put_key(const struct insn *insn, bool masked, struct str *key) {
    const uint32_t words[] = {(uint32_t)insn->op, insn->width,         insn->rs, insn->rt, insn->rd,
                              insn->mode,         (uint32_t)insn->imm, masked};
    str_append_n(key, (const char *)words, sizeof words);
    if (isa_has_table(insn->op))
        str_append_n(key, (const char *)insn->table->entries,
                     sizeof(uint64_t) << insn->table->index_bits);
}

static struct plane_form *find(struct plane_forms *forms, const struct str *key) {
    pthread_mutex_lock(&forms->lock);
    const uint64_t *number = map_get_n(&forms->by_insn, key->text, key->len);
    struct plane_form *form = number ? forms->list.data[*number] : NULL;
    pthread_mutex_unlock(&forms->lock);
    return form;
}

/* The form, or one that another thread has put in before; it stays the caller's where there is no
 * more room. */
static struct plane_form *keep(struct plane_forms *forms, const struct str *key,
                               struct plane_form *form) {
    size_t bytes = plane_form_bytes(form) + key->len + sizeof(struct map_entry);
    struct alloc_lock lock;
    alloc_lock(&lock, &forms->lock);
    if (forms->bytes < MOST_BYTES && bytes < MOST_BYTES - forms->bytes) {
        vec_reserve(&forms->list, forms->list.len + 1);
        uint64_t at = *map_add_n(&forms->by_insn, key->text, key->len, forms->list.len);
        if (at == forms->list.len) {
            form->kept = true;
            forms->bytes += bytes;
            vec_push(&forms->list, form);
        } else {
            plane_form_free(form);
        }
        form = forms->list.data[at];
    }
    alloc_unlock(&lock);
    return form;
}

/* The registers of an instruction numbered as they come, rs, rt, rd; what is no register stays. */
static struct insn number_registers(const struct insn *insn, struct plane_registers *registers) {
    const uint32_t flags = isa_info(insn->op)->flags;
    struct insn numbered = *insn;
    uint8_t *const fields[] = {&numbered.rs, &numbered.rt, &numbered.rd};
    const uint32_t used[] = {READS_RS | WRITES_RS, READS_RT | WRITES_RT, READS_RD | WRITES_RD};
    *registers = (struct plane_registers){.count = 0};
    for (unsigned k = 0; k < 3; k++) {
        unsigned at = 0;
        if (!(flags & used[k]))
            continue;
        while (at < registers->count && registers->reg[at] != *fields[k])
            at++;
        if (at == registers->count)
            registers->reg[registers->count++] = *fields[k];
        *fields[k] = (uint8_t)at;
    }
    return numbered;
}

/* The micro-ops of the maker as a form. */
static struct plane_form *make(struct plane_form_maker *maker, const struct insn *insn) {
    return plane_form_make(maker, maker->uops.data, maker->uops.len,
                           isa_info(insn->op)->flags & ISA_UNMASKED);
}

/* Nobody keeps any, or not those of such an instruction. */
static struct plane_form *own_form(struct plane_form_maker *maker, const struct insn *insn,
                                   bool masked, struct plane_registers *registers) {
    registers->count = 0;
    return expand(maker, insn, masked) ? make(maker, insn) : NULL;
}

struct plane_form *plane_form_get(struct plane_form_maker *maker, const struct insn *insn,
                                  bool masked, struct plane_registers *registers) {
    struct plane_forms *forms = maker->machine->forms;
    const struct insn numbered = number_registers(insn, registers);
    if (!forms || (isa_has_table(insn->op) && !insn->table))
        return own_form(maker, insn, masked, registers);
    struct str key = {0};
    put_key(&numbered, masked, &key);
    struct plane_form *form = find(forms, &key);
    if (!form) {
        struct diag *diag = maker->diag;
        maker->diag = NULL;
        bool expanded = expand(maker, &numbered, masked);
        maker->diag = diag;
        if (expanded)
            form = make(maker, insn);
        else /* refused: by its own registers' names */
            form = own_form(maker, insn, masked, registers);
        if (form && expanded)
            form = keep(forms, &key, form);
    }
    str_free(&key);
    return form;
}

/* --- on a machine --- */

struct uop plane_uop_in_place(const struct plane_registers *registers, const struct uop *uop) {
    struct uop placed = *uop;
    for (unsigned k = 0; k < uop->nsrc; k++)
        placed.src[k] = plane_in_place(registers, uop->src[k]);
    for (unsigned k = 0; k < uop->ndst; k++)
        placed.dst[k] = plane_in_place(registers, uop->dst[k]);
    return placed;
}

/* The first micro-op that names a bit which is not there. */
static void report_bit(const struct plane_machine *machine, const struct plane_form *form,
                       const struct plane_registers *registers, struct diag *diag) {
    for (size_t i = 0; i < form->uop_count; i++)
        for (unsigned k = 0; k < form->uops[i].nsrc + form->uops[i].ndst; k++) {
            const struct uop uop = plane_uop_in_place(registers, &form->uops[i]);
            uint32_t plane = k < uop.nsrc ? uop.src[k] : uop.dst[k - uop.nsrc];
            unsigned reg = PLANE_NUMBER(plane) >> 6 & 63, bit = PLANE_NUMBER(plane) & 63;
            if (PLANE_CLASS(plane) != PLANE_REGISTER || bit < machine->reg_bits[reg])
                continue;
            diag_error(diag, NO_SPAN,
                       "bit %u of r%u is needed, but the register map gives it %u bits", bit, reg,
                       (unsigned)machine->reg_bits[reg]);
            return;
        }
}

bool plane_form_fits(const struct plane_machine *machine, const struct plane_form *form,
                     const struct plane_registers *registers, struct diag *diag) {
    bool fits = true;
    for (size_t i = 0; i < form->need_count; i++)
        fits &=
            form->needs[i].bits <= machine->reg_bits[plane_register(registers, form->needs[i].reg)];
    if (!fits)
        report_bit(machine, form, registers, diag);
    return fits;
}

static uint32_t place_operand(const struct plane_machine *machine,
                              const struct plane_registers *registers, bool by_name,
                              uint32_t operand) {
    const uint32_t fixed[PLANE_NAME_FIRST] = {machine->c_slot, machine->m_slot,
                                              machine->valid_slot};
    uint32_t slot = operand / PLANE_STRIDE;
    if (operand & 1)
        return operand;
    if (slot < PLANE_NAME_FIRST)
        return by_name ? operand : tile_operand(fixed[slot]);
    slot -= PLANE_NAME_FIRST;
    unsigned reg = plane_register(registers, slot / 64), bit = slot % 64;
    return tile_operand(by_name ? PLANE_NAME_SLOT(PLANE_NAME_FIRST, reg, bit)
                                : machine->reg_slot[reg] + bit);
}

void plane_form_place(const struct plane_machine *machine, const struct plane_form *form,
                      const struct plane_registers *registers, bool by_name,
                      struct plane_step *to) {
    for (size_t i = 0; i < form->step_count; i++) {
        const struct plane_step *s = &form->steps[i];
        to[i] = (struct plane_step){.dst = place_operand(machine, registers, by_name, s->dst),
                                    .mask = place_operand(machine, registers, by_name, s->mask),
                                    .kernel = s->kernel};
        for (unsigned k = 0; k < 3; k++)
            to[i].src[k] = place_operand(machine, registers, by_name, s->src[k]);
    }
}
