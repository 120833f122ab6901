/* SPDX-License-Identifier: MIT
 * Patterns of instructions, found by their steps, and their code. */
#include "machines/plane/run/native_patterns.h"
#include "machines/plane/run/insn_forms.h"

#include <string.h>

#define LISTS (1u << 12)

typedef HASH_TABLE(const struct plane_form *, struct plane_part) part_table;

struct plane_patterns {
    part_table known; /* of forms that the library keeps; empty after a pattern was forgotten */
    struct plane_pattern *lists[LISTS];
    struct plane_pattern *oldest, *newest; /* that nobody uses */
    size_t bytes, room;                    /* that they take, and may take */
    /* Storage for the pattern of an instruction and for code. */
    VEC(struct plane_pattern_step) steps;
    VEC(uint32_t) scratch; /* by slot: 1 + number in the pattern, or 0 */
    struct plane_functions functions;
    struct plane_emission emission;
};

/* --- an instruction's pattern --- */

struct naming {
    struct plane_patterns *p;
    struct plane_part *part;
    struct plane_pattern *pattern;
    uint8_t number[64]; /* of a register: 1 + its number */
    uint32_t scratches;
    bool fits;
};

static uint16_t tile_name(struct naming *n, uint32_t slot) {
    if (slot < PLANE_NAME_FIRST)
        return (uint16_t)(2 * slot);
    unsigned reg = (slot - PLANE_NAME_FIRST) / 64, bit = (slot - PLANE_NAME_FIRST) % 64;
    if (!n->number[reg]) {
        n->fits &= n->pattern->registers < PLANE_PATTERN_REGISTERS;
        if (!n->fits)
            return 0;
        n->part->reg[n->pattern->registers] = (uint8_t)reg;
        n->number[reg] = ++n->pattern->registers;
    }
    unsigned k = n->number[reg] - 1u;
    if (n->pattern->bits[k] <= bit)
        n->pattern->bits[k] = (uint8_t)(bit + 1);
    return (uint16_t)(2 * (PLANE_NAME_FIRST + 64 * k + bit));
}

static uint16_t scratch_name(struct naming *n, uint32_t slot) {
    if (slot < SLOT_FIRST)
        return (uint16_t)(2 * slot + 1);
    uint32_t *number = &n->p->scratch.data[slot];
    if (!*number)
        *number = ++n->scratches;
    n->fits &= *number < UINT16_MAX / 2 - SLOT_FIRST;
    return (uint16_t)(2 * (SLOT_FIRST + *number - 1) + 1);
}

static uint16_t name(struct naming *n, uint32_t operand) {
    return operand & 1 ? scratch_name(n, operand / PLANE_STRIDE)
                       : tile_name(n, operand / PLANE_STRIDE);
}

static void name_steps(struct naming *n, const struct plane_step *steps, size_t count) {
    vec_clear(&n->p->steps);
    for (size_t i = 0; i < count && n->fits; i++) {
        struct plane_pattern_step s = {.kernel = steps[i].kernel, .dst = name(n, steps[i].dst)};
        for (unsigned k = 0; k < 3; k++)
            s.src[k] = name(n, steps[i].src[k]);
        if (s.kernel & PLANE_MASKED)
            s.mask = name(n, steps[i].mask);
        vec_push(&n->p->steps, s);
    }
}

/* --- the table --- */

static void forget_pattern(struct plane_patterns *p, struct plane_pattern *pattern) {
    struct plane_pattern **link = &p->lists[pattern->hash % LISTS];
    while (*link != pattern)
        link = &(*link)->next;
    *link = pattern->next;
    hash_table_clear(&p->known);
    p->bytes -= pattern->bytes;
    for (unsigned k = 0; k < PLANE_CODE_KINDS; k++)
        plane_routine_free(atomic_load_explicit(&pattern->routine[k], memory_order_relaxed));
    free(pattern->steps);
    free(pattern);
}

/* Into or out of the list of those that nobody uses. */
static void rest(struct plane_patterns *p, struct plane_pattern *pattern) {
    pattern->older = p->newest;
    pattern->newer = NULL;
    pattern->rests = true;
    *(p->newest ? &p->newest->newer : &p->oldest) = pattern;
    p->newest = pattern;
}
static void wake(struct plane_patterns *p, struct plane_pattern *pattern) {
    pattern->rests = false;
    *(pattern->older ? &pattern->older->newer : &p->oldest) = pattern->newer;
    *(pattern->newer ? &pattern->newer->older : &p->newest) = pattern->older;
}

/* Makes room for so many bytes; false where what is used takes too many. */
static bool make_room(struct plane_patterns *p, size_t bytes) {
    while (p->bytes + bytes > p->room && p->oldest) {
        struct plane_pattern *oldest = p->oldest;
        wake(p, oldest);
        forget_pattern(p, oldest);
    }
    return p->bytes + bytes <= p->room;
}

/* The pattern of the steps that were named, made if need be; NULL without room. */
static struct plane_pattern *find_pattern(struct plane_patterns *p,
                                          const struct plane_pattern *like) {
    size_t bytes = p->steps.len * sizeof *p->steps.data;
    uint64_t hash = hash_bytes(p->steps.data, bytes) >> 20;
    struct plane_pattern *found = p->lists[hash % LISTS];
    while (found && (found->hash != hash || found->count != p->steps.len ||
                     memcmp(found->steps, p->steps.data, bytes) != 0))
        found = found->next;
    if (found)
        return found;
    if (!make_room(p, bytes + sizeof *found))
        return NULL;
    found = xcalloc(1, sizeof *found);
    found->registers = like->registers;
    memcpy(found->bits, like->bits, sizeof found->bits);
    found->hash = hash;
    found->count = p->steps.len;
    found->steps = xmalloc(bytes + 1);
    memcpy(found->steps, p->steps.data, bytes);
    found->bytes = bytes + sizeof *found;
    p->bytes += found->bytes;
    found->next = p->lists[hash % LISTS];
    p->lists[hash % LISTS] = found;
    return found;
}

/* The pattern of a form, with the form's registers. */
static struct plane_part part_of_form(struct plane_patterns *p, const struct plane_form *form) {
    struct plane_pattern pattern = {.registers = 0};
    struct plane_part part = {.pattern = NULL};
    struct naming n = {
        .p = p, .part = &part, .pattern = &pattern, .fits = form->step_count > 0 && form->steps};
    memset(p->scratch.data, 0, p->scratch.len * sizeof *p->scratch.data);
    name_steps(&n, form->steps, form->step_count);
    part.pattern = n.fits ? find_pattern(p, &pattern) : NULL;
    return part;
}

/* own: parts of forms that the library does not keep, or that found no room. */
static void find_part(struct plane_patterns *p, part_table *own, const struct plane_form *form,
                      const struct plane_registers *registers, struct plane_part *part) {
    struct plane_part *known = form->kept ? hash_table_get(&p->known, &form) : NULL;
    if (!known)
        known = hash_table_get(own, &form);
    if (!known) {
        struct plane_part made = part_of_form(p, form);
        known = hash_table_put(form->kept && made.pattern ? &p->known : own, &form);
        *known = made;
    }
    *part = *known;
    if (!part->pattern)
        return;
    if (part->pattern->rests)
        wake(p, part->pattern);
    part->pattern->users++;
    for (unsigned k = 0; k < part->pattern->registers; k++)
        part->reg[k] = (uint8_t)plane_register(registers, part->reg[k]);
}

struct plane_part *plane_parts_new(struct plane_machine *machine, const struct dp_code *code) {
    struct plane_part *parts = xcalloc(code->insn_count + 1, sizeof *parts);
    if (!machine->patterns) {
        machine->patterns = xcalloc(1, sizeof *machine->patterns);
        machine->patterns->room = machine->pattern_room;
    }
    vec_clear(&machine->patterns->scratch);
    while (machine->patterns->scratch.len < code->scratch_slots)
        vec_push(&machine->patterns->scratch, 0);
    part_table own = {0};
    for (size_t i = 0; i < code->insn_count; i++)
        find_part(machine->patterns, &own, code->forms[i], &code->registers[i], &parts[i]);
    hash_table_free(&own);
    return parts;
}

void plane_parts_free(struct plane_machine *machine, struct plane_part *parts, size_t count) {
    for (size_t i = 0; parts && i < count; i++)
        if (parts[i].pattern && --parts[i].pattern->users == 0)
            rest(machine->patterns, parts[i].pattern);
    free(parts);
}

void plane_patterns_free(struct plane_machine *machine) {
    struct plane_patterns *p = machine->patterns;
    if (!p)
        return;
    for (size_t i = 0; i < LISTS; i++)
        while (p->lists[i])
            forget_pattern(p, p->lists[i]);
    hash_table_free(&p->known);
    vec_free(&p->steps);
    vec_free(&p->scratch);
    plane_functions_free(&p->functions);
    plane_emission_free(&p->emission);
    free(p);
    machine->patterns = NULL;
}

/* --- code --- */

static uint32_t operand_of(uint16_t name) {
    return name & 1 ? scratch_operand(name / 2u) : tile_operand(name / 2u);
}

static void unname_steps(const struct plane_pattern *pattern, struct step_list *out) {
    for (size_t i = 0; i < pattern->count; i++) {
        const struct plane_pattern_step *s = &pattern->steps[i];
        struct plane_step step = {
            .kernel = s->kernel, .dst = operand_of(s->dst), .mask = operand_of(s->mask)};
        for (unsigned k = 0; k < 3; k++)
            step.src[k] = operand_of(s->src[k]);
        vec_push(out, step);
    }
}

/* Fewer steps of the same functions, if there are; else as they are. */
static void compose(struct plane_functions *functions, struct step_list *steps) {
    struct step_list made = {0};
    uint32_t slots = SLOT_FIRST;
    plane_functions_read(functions, steps->data, steps->len);
    if (functions->unknown)
        return;
    plane_functions_cover(functions);
    plane_functions_write(functions, &made, &slots);
    if (made.len >= steps->len) {
        vec_free(&made);
        return;
    }
    vec_free(steps);
    *steps = made;
}

static void place_slots(const struct plane_machine *machine, const struct plane_pattern *pattern,
                        struct plane_code_place *places) {
    const uint32_t fixed[PLANE_NAME_FIRST] = {machine->c_slot, machine->m_slot,
                                              machine->valid_slot};
    for (uint32_t k = 0; k < PLANE_NAME_FIRST; k++)
        places[k] = (struct plane_code_place){.offset = fixed[k] * PLANE_STRIDE};
    for (uint32_t k = 0; k < 64u * pattern->registers; k++)
        places[PLANE_NAME_FIRST + k] =
            (struct plane_code_place){.base = 1 + k / 64, .offset = k % 64 * PLANE_STRIDE};
}

/* A kernel reads and writes its planes as fast as code does; where code has nothing to save but
 * that, steps are ahead (bench_fused, all forms). */
static bool is_stream(const struct plane_pattern *pattern, const struct plane_emission *emission) {
    uint64_t planes = emission->touched;
    return pattern->count <= 4 || 10 * pattern->count < (emission->code.wide ? 6 : 7) * planes;
}

static struct plane_routine *make_routine(struct plane_machine *machine,
                                          struct plane_pattern *pattern,
                                          enum plane_code_kind kind) {
    struct plane_patterns *p = machine->patterns;
    struct plane_code_place places[PLANE_NAME_FIRST + 64 * PLANE_PATTERN_REGISTERS];
    struct step_list steps = {0};
    struct plane_code_source source = {.places = places,
                                       .slots = PLANE_NAME_FIRST + 64u * pattern->registers,
                                       .vectors = machine->vectors,
                                       .fetches = kind != CODE_PIECES,
                                       .tiles = kind == CODE_COLUMNS,
                                       .extent = {machine->slots * PLANE_STRIDE}};
    for (unsigned k = 0; k < pattern->registers; k++)
        source.extent[1 + k] = pattern->bits[k] * PLANE_STRIDE;
    place_slots(machine, pattern, places);
    unname_steps(pattern, &steps);
    compose(&p->functions, &steps);
    source.steps = steps.data;
    source.count = steps.len;
    struct plane_routine *routine = NULL;
    if (plane_code_emit(&source, &p->emission))
        routine = plane_routine_make(&p->emission, machine->vectors);
    if (!pattern->tried[CODE_PIECES] && !pattern->tried[CODE_TILES]) { /* nobody looks at it */
        pattern->streams = is_stream(pattern, &p->emission);
        pattern->waits = p->emission.waits;
    }
    vec_free(&steps);
    return routine;
}

/* Under the machine's lock. */
static void try_routine(struct plane_machine *machine, struct plane_pattern *pattern,
                        enum plane_code_kind kind) {
    struct plane_patterns *p = machine->patterns;
    struct plane_routine *routine = NULL;
    if (pattern->count <= PLANE_FUSED_STEPS && p->bytes < p->room)
        routine = make_routine(machine, pattern, kind);
    if (routine && !make_room(p, routine->size)) {
        plane_routine_free(routine);
        routine = NULL;
    }
    if (routine) {
        pattern->bytes += routine->size;
        p->bytes += routine->size;
    }
    atomic_store_explicit(&pattern->routine[kind], routine, memory_order_release);
    atomic_store_explicit(&pattern->tried[kind], true, memory_order_release);
}

/* Once it has worked on `at` words.  False: it has not. */
static bool routine_at(struct plane_machine *machine, struct plane_pattern *pattern, uint64_t words,
                       uint64_t at, enum plane_code_kind kind) {
    if (atomic_load_explicit(&pattern->tried[kind], memory_order_acquire))
        return true;
    uint64_t worked = atomic_fetch_add_explicit(&pattern->worked, words, memory_order_relaxed);
    if (worked + words < at)
        return false;
    struct alloc_lock lock;
    alloc_lock(&lock, &machine->lock);
    if (!atomic_load_explicit(&pattern->tried[kind], memory_order_relaxed))
        try_routine(machine, pattern, kind);
    alloc_unlock(&lock);
    return true;
}

const struct plane_routine *plane_pattern_routine(struct plane_machine *machine,
                                                  struct plane_pattern *pattern, uint64_t words,
                                                  enum plane_code_kind kind) {
    bool tried = routine_at(machine, pattern, words, machine->compose_at, kind);
    if (tried && kind == CODE_TILES && pattern->waits && words >= PLANE_TILE_WORDS)
        routine_at(machine, pattern, words, machine->whole_at, CODE_COLUMNS);
    return plane_pattern_made(pattern, kind);
}

bool plane_part_bases(const struct plane_machine *machine, const struct plane_part *part,
                      unsigned char *at, unsigned char **bases) {
    bases[0] = at;
    for (unsigned k = 0; k < part->pattern->registers; k++) {
        unsigned reg = part->reg[k];
        if (machine->reg_bits[reg] < part->pattern->bits[k])
            return false;
        bases[1 + k] = at + (size_t)machine->reg_slot[reg] * PLANE_STRIDE;
    }
    return true;
}
