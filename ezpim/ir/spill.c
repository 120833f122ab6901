/* SPDX-License-Identifier: MIT
 * Variables in VRFs of their own: what can lie elsewhere, which do, and the moves around ensembles.
 * Behind each ensemble the home of a variable has its value. */
#include "ezpim/ir/spill.h"
#include "ezpim/ir/build.h"
#include "ezpim/ir/touched.h"
#include "object/spill_name.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- uses ---- */

struct spill_use {
    uint32_t variable;
    bool writes;
};
struct spill_uses {
    VEC(struct spill_use) items;
    const struct ir_code *code;
};

static void note_vreg(void *context, uint32_t *vreg, bool writes) {
    struct spill_uses *u = context;
    uint32_t v = u->code->vregs.data[*vreg].variable;
    if (v == IR_NONE)
        return;
    for (size_t i = 0; i < u->items.len; i++)
        if (u->items.data[i].variable == v) {
            u->items.data[i].writes |= writes;
            return;
        }
    struct spill_use use = {v, writes};
    vec_push(&u->items, use);
}

/* Variables that the code names, each once. */
static void find_uses(struct ir_code *code, struct spill_uses *uses) {
    vec_clear(&uses->items);
    uses->code = code;
    for (size_t i = 0; code && i < code->insns.len; i++)
        ir_visit(&code->insns.data[i], note_vreg, uses);
}

struct spiller {
    struct ir_program *p;
    const struct diag *d;
    struct ir_lives *l;
    struct ir_room room, home;
    bool splits; /* single registers of an array may be brought */
    struct map moves;
    uint64_t *transfers; /* [variables]: that each would take, loops weighed in */
    size_t known;        /* variables when transfers were counted */
    struct spill_uses uses;
};

static void keep(const struct spiller *spiller, uint32_t value) {
    spiller->p->variables.data[value].stays = true;
}

static void keep_ends(const struct spiller *spiller, const struct ir_node *node) {
    const struct ir_move *m = &spiller->p->moves.data[node->move];
    keep(spiller, m->to);
    keep(spiller, m->from);
}

/* An index lies beside the elements that it is of, which stay there for it. */
static void keep_index(const struct spiller *spiller, const struct ir_node *node) {
    const struct ir_move *m = &spiller->p->moves.data[node->move];
    if (!m->record.index.kind)
        return;
    keep(spiller, m->index);
    keep(spiller, m->record.index.kind == INDEX_SCATTER ? m->from : m->to);
}

static void weigh_node(struct spiller *spiller, struct ir_node *node, uint64_t weight) {
    if (node->kind == IR_NODE_SEND || (node->kind == IR_NODE_MOVE && node->own))
        keep_ends(spiller, node);
    if (node->kind == IR_NODE_MOVE)
        keep_index(spiller, node);
    if (node->kind == IR_NODE_RECV)
        keep(spiller, node->lands);
    for (uint32_t i = 0; i < node->finish_count; i++) {
        keep(spiller, node->finishes[i].from);
        keep(spiller, node->finishes[i].to);
    }
    find_uses(node->code, &spiller->uses);
    for (size_t i = 0; i < spiller->uses.items.len; i++) {
        const struct spill_use *u = &spiller->uses.items.data[i];
        spiller->transfers[u->variable] += ir_weight_mul(weight, u->writes ? 2 : 1);
        if (node->kind == IR_NODE_WHILE || node->own || (node->kind == IR_NODE_IF && u->writes))
            keep(spiller, u->variable);
    }
}

static void weigh(struct spiller *spiller, struct ir_node *node, uint64_t weight) {
    for (; node; node = node->next) {
        bool loops = node->kind == IR_NODE_REPEAT || node->kind == IR_NODE_WHILE;
        uint64_t inside = loops ? ir_weight_mul(weight, IR_LAPS) : weight;
        weigh_node(spiller, node, inside);
        weigh(spiller, node->body, inside);
        weigh(spiller, node->otherwise, inside);
    }
}

bool ir_is_one_text(const struct ir_program *program) {
    bool one = program->images.len == 1 && !program->grid_dims;
    for (size_t g = 0; g < program->groups.len; g++)
        one &= !program->groups.data[g].per_mpu;
    return one;
}

/* Of what is the same everywhere, arrays can, and, where bodies are split, single values: their
 * home has an element for each value. */
static bool can_be_apart(const struct spiller *spiller, const struct variable *variable) {
    bool some = variable->has_k ? variable->count > 1 : spiller->splits;
    bool value = variable->form.shaped && !variable->form.ndim && !variable->has_k;
    bool plain = variable->form.order == FORM_LAST && (value || !variable->form.shaped);
    return variable->group != NO_INDEX || (some && plain && ir_is_one_text(spiller->p));
}

static void keep_named(const struct spiller *spiller, const struct ir_code *code) {
    for (size_t v = 0; v < code->vregs.len; v++)
        if (code->vregs.data[v].variable != IR_NONE)
            keep(spiller, code->vregs.data[v].variable);
}

/* What the compiler makes for a statement, unless this is the last resort; what a REPEAT writes
 * that may be left out. */
static bool is_of_statement(const struct spiller *spiller, const struct ir_variable *variable) {
    return variable->hidden && !variable->lasting && (variable->chained || !spiller->splits);
}

/* What cannot lie elsewhere: single values that are the same everywhere, what the compiler makes
 * for a statement, what has a length or is one, what subroutines see, what loops ask, what messages
 * carry, what some MPUs do alone. */
static void weigh_all(struct spiller *spiller) {
    spiller->known = spiller->p->variables.len;
    spiller->transfers = xcalloc(spiller->known + 1, sizeof *spiller->transfers);
    for (size_t v = 0; v < spiller->known; v++)
        spiller->p->variables.data[v].stays |=
            is_of_statement(spiller, &spiller->p->variables.data[v]) ||
            !can_be_apart(spiller, &spiller->p->variables.data[v].decl);
    for (size_t i = 0; i < spiller->p->lengths.len; i++) {
        keep(spiller, spiller->p->lengths.data[i].variable);
        keep(spiller, spiller->p->lengths.data[i].length);
    }
    for (size_t i = 0; i < spiller->p->subs.len; i++)
        keep_named(spiller, spiller->p->subs.data[i]->code);
    for (size_t i = 0; i < spiller->p->images.len; i++)
        weigh(spiller, spiller->p->images.data[i].nodes, 1);
}

/* ---- homes ---- */

static void take(struct ir_room *taken, const struct variable *variable) {
    unsigned bits = variable->type.bits;
    taken->registers += variable->count;
    taken->bits += variable->count * bits;
    if (taken->sections)
        taken->columns += variable->count * ((bits + taken->sections - 1) / taken->sections);
}

static bool is_within(const struct ir_room *taken, const struct ir_room *room) {
    return taken->registers <= room->registers && taken->bits <= room->bits &&
           (!room->sections || taken->columns <= room->columns);
}

static struct ir_room taken_in(const struct spiller *spiller, uint32_t group) {
    const struct ir_program *p = spiller->p;
    struct ir_room t = {.registers = (unsigned)__builtin_popcountll(p->taken),
                        .sections = spiller->home.sections};
    for (size_t v = 0; v < p->variables.len; v++) {
        const struct variable *x = &p->variables.data[v].decl;
        if (x->group == NO_INDEX || x->group == group)
            take(&t, x);
    }
    return t;
}

static bool is_spill_of(const struct ir_program *program, uint32_t group, uint32_t base) {
    const char *name = program->groups.data[group].name, *of = program->groups.data[base].name;
    size_t n = strlen(of);
    return strncmp(name, of, n) == 0 && strncmp(name + n, ".spill", 6) == 0 &&
           program->groups.data[group].ndim == program->groups.data[base].ndim;
}

static uint32_t dims_of(const struct ir_program *program, uint32_t group) {
    return group == NO_INDEX ? 0 : ir_group_dims(program, group);
}

/* Whether the home of an array has its elements side by side, not one register each: where the
 * registers are too many, or the array has no group. */
static bool lies_in_lanes(const struct spiller *spiller, const struct variable *variable) {
    struct ir_room alone = {.sections = spiller->home.sections};
    take(&alone, variable);
    if (variable->group == NO_INDEX)
        return true;
    return variable->has_k && !is_within(&alone, &spiller->home) &&
           variable->form.order == FORM_LAST &&
           spiller->p->groups.data[variable->group].ndim < GROUP_MAX_DIMS &&
           dims_of(spiller->p, variable->group) + 1 < MOVE_MAX_DIMS;
}

/* The extents of the group, then k. */
static uint32_t group_of_lanes(struct spiller *spiller, const struct variable *variable) {
    struct ir_program *p = spiller->p;
    struct group g = {.name = "spill", .place = variable->place};
    if (variable->group != NO_INDEX) {
        g = p->groups.data[variable->group];
        g.name = arena_printf(p->arena, "%s.spill", g.name);
    }
    g.name = arena_printf(p->arena, "%s.%s", g.name, variable->name);
    g.like = g.at_rfh = g.at_vrf = NO_INDEX;
    g.extent[g.ndim++] = (struct extent){NO_INDEX, variable->count};
    vec_push(&p->groups, g);
    return (uint32_t)p->groups.len - 1;
}

static uint32_t group_for(struct spiller *spiller, const struct variable *variable) {
    struct ir_program *p = spiller->p;
    uint32_t number = 1;
    for (uint32_t g = 0; g < p->groups.len; g++) {
        if (!is_spill_of(p, g, variable->group))
            continue;
        struct ir_room t = taken_in(spiller, g);
        take(&t, variable);
        if (is_within(&t, &spiller->home))
            return g;
        number++;
    }
    struct group g = p->groups.data[variable->group];
    g.name = number == 1 ? arena_printf(p->arena, "%s.spill", g.name)
                         : arena_printf(p->arena, "%s.spill%u", g.name, number);
    g.like = g.at_rfh = g.at_vrf = NO_INDEX;
    vec_push(&p->groups, g);
    return (uint32_t)p->groups.len - 1;
}

/* ---- transfers ---- */

/* What stands for a variable whose elements lie elsewhere: for all its registers, or for one.
 * IR_NONE: no statement has named so much alone yet. */
struct stand_ins {
    uint32_t home, whole, single[IR_REGISTERS];
    uint32_t group;  /* that the variable was declared over, or the one at hand; IR_NONE */
    uint32_t count;  /* registers that the variable had */
    bool apart;      /* single registers can be moved */
    bool everywhere; /* the variable has no group */
    bool in_lanes;   /* the last coordinate of the home says of which */
    /* By the statement at hand: */
    const struct ir_code *code;
    bool used[IR_REGISTERS], written[IR_REGISTERS];
};

static void note_register(void *context, uint32_t *vreg, bool writes) {
    struct stand_ins *s = context;
    const struct ir_vreg *v = &s->code->vregs.data[*vreg];
    if (v->variable != s->home)
        return;
    s->used[v->element] = true;
    s->written[v->element] |= writes;
}

/* How many registers of the variable the code names. */
static uint32_t find_registers(struct stand_ins *stand, struct ir_code *code) {
    uint32_t used = 0;
    memset(stand->used, 0, sizeof stand->used);
    memset(stand->written, 0, sizeof stand->written);
    stand->code = code;
    for (size_t i = 0; code && i < code->insns.len; i++)
        ir_visit(&code->insns.data[i], note_register, stand);
    for (unsigned k = 0; k < IR_REGISTERS; k++)
        used += stand->used[k];
    return used;
}

static uint32_t add_stand_in(struct ir_program *program, const struct stand_ins *stand,
                             bool single) {
    struct ir_variable here = program->variables.data[stand->home];
    here.hidden = here.stays = true;
    here.is_home = false;
    here.spilled_to = stand->home;
    here.decl.direction = 0;
    here.decl.group = stand->group;
    here.decl.scope = (struct group_scope){0};
    here.decl.count = single ? 1 : stand->count;
    here.decl.has_k = !single && (here.decl.has_k || stand->in_lanes);
    vec_push(&program->variables, here);
    return (uint32_t)program->variables.len - 1;
}

/* What stands for register k, or for all of them. */
static uint32_t stand_in(struct ir_program *program, struct stand_ins *stand, bool single,
                         uint32_t k) {
    uint32_t *known = single ? &stand->single[k] : &stand->whole;
    if (*known == IR_NONE)
        *known = add_stand_in(program, stand, single);
    return *known;
}

static void rename_vregs(struct ir_code *code, const struct stand_ins *stand, bool single) {
    for (size_t i = 0; i < code->vregs.len; i++) {
        struct ir_vreg *v = &code->vregs.data[i];
        if (v->variable != stand->home || !stand->used[v->element])
            continue;
        v->variable = single ? stand->single[v->element] : stand->whole;
        v->element = single ? 0 : v->element;
    }
}

/* A transfer between the node that *link names and what it follows. */
static struct ir_node **insert_move(struct spiller *spiller, struct ir_node **link,
                                    const struct ir_move *move, struct span at) {
    struct ir_builder b = {
        .p = spiller->p, .diag = spiller->d, .moves = spiller->moves, .end = link};
    struct ir_node *behind = *link;
    struct ir_node *n = ir_put_move(&b, move, at);
    struct move *record = &spiller->p->moves.data[n->move].record;
    if (!record->name)
        record->name = arena_printf(spiller->p->arena, OBJECT_SPILL_MOVE "%" PRIu32, n->move);
    spiller->moves = b.moves;
    n->next = behind;
    return &n->next;
}

/* Coordinates of the home in front of the one that says of which register. */
static uint32_t dims_before(const struct spiller *spiller, const struct stand_ins *stand) {
    return dims_of(spiller->p, spiller->p->variables.data[stand->home].decl.group) -
           stand->in_lanes;
}

/* Register k behind the coordinates of the group, or all of them. */
static struct ir_move move_here(const struct spiller *spiller, struct stand_ins *stand, bool single,
                                uint32_t k) {
    struct ir_move m =
        ir_plain_move(spiller->p, stand_in(spiller->p, stand, single, k), stand->home);
    uint32_t d = dims_before(spiller, stand);
    if (single)
        ir_move_source(&m, d, 0, 0, k);
    else if (stand->in_lanes)
        ir_move_source(&m, d, d, 1, 0);
    return m;
}

static struct ir_move move_back(const struct spiller *spiller, struct stand_ins *stand, bool single,
                                uint32_t k) {
    const struct move_bound first = {k, NO_INDEX, 0}, last = {k + 1, NO_INDEX, 0};
    struct ir_move m =
        ir_plain_move(spiller->p, stand->home, stand_in(spiller->p, stand, single, k));
    uint32_t d = dims_before(spiller, stand);
    if (single)
        ir_move_bound(&m, d, first, last);
    else if (stand->in_lanes)
        ir_move_source(&m, d, d, 1, 0);
    for (uint32_t c = d; c < dims_of(spiller->p, stand->group); c++)
        ir_move_source(&m, c, 0, 0, 0); /* the same everywhere: of element 0 */
    return m;
}

/* Brings what the node names, and takes back what it may write; returns the link to the last node
 * of these. */
static struct ir_node **bring_to_node(struct spiller *spiller, struct ir_node **link,
                                      struct stand_ins *stand, bool single) {
    struct ir_node *n = *link;
    struct ir_node **behind = &n->next;
    uint32_t count = single ? stand->count : 1;
    bool writes = false;
    for (uint32_t k = 0; k < count; k++) {
        if (single && !stand->used[k])
            continue;
        const struct ir_move m = move_here(spiller, stand, single, k);
        link = insert_move(spiller, link, &m, n->at);
    }
    for (unsigned k = 0; k < IR_REGISTERS; k++)
        writes |= stand->written[k];
    for (uint32_t k = 0; k < count && writes; k++) {
        if (single && !stand->written[k])
            continue;
        const struct ir_move m = move_back(spiller, stand, single, k);
        link = behind;
        behind = insert_move(spiller, behind, &m, n->at);
    }
    rename_vregs(n->code, stand, single);
    return link;
}

/* What is the same everywhere is brought to the elements of the group at hand. */
static void stand_over(struct stand_ins *stand, uint32_t group) {
    if (stand->group != group)
        memset(stand->single, 0xff, sizeof stand->single);
    stand->group = group;
}

static void bring(struct spiller *spiller, struct ir_node **link, struct stand_ins *stand) {
    for (; *link; link = &(*link)->next) {
        struct ir_node *n = *link;
        bring(spiller, &n->body, stand);
        bring(spiller, &n->otherwise, stand);
        uint32_t used = find_registers(stand, n->code);
        bool single = stand->apart && (stand->everywhere || used < stand->count);
        if (used && stand->everywhere)
            stand_over(stand, n->group);
        if (used)
            link = bring_to_node(spiller, link, stand, single);
    }
}

/* The same coordinates on the VRFs of another group, and behind them k (count; 0: no such one). */
static uint32_t view_there(struct spiller *spiller, uint32_t view, uint32_t group, uint32_t count) {
    struct ir_builder b = {.p = spiller->p, .diag = spiller->d};
    struct group g = spiller->p->groups.data[view];
    if (count)
        g.extent[g.ndim++] = (struct extent){NO_INDEX, count};
    return ir_group_like(&b, group, g.ndim, g.extent);
}

/* Registers of the destination become its last coordinate: a move to one of them, or to those from
 * one on, is bound to it. */
static void write_lanes(struct ir_move *move, uint32_t dim) {
    const struct move_bound first = {move->to_element, NO_INDEX, 0},
                            last = {move->to_element + 1, NO_INDEX, 0};
    if (!move->record.dst_has_k)
        ir_move_bound(move, dim, first, last);
    move->record.scope = (struct group_scope){0};
    move->record.dst_has_k = false;
    move->record.dst_count = 1;
    move->to_element = 0;
}

static void read_lanes(struct ir_move *move, uint32_t dim) {
    if (!move->record.src_has_k)
        ir_move_source(move, dim, 0, 0, 0);
    move->record.src_has_k = false;
    move->record.src_count = 1;
}

/* Moves go to where the variable lies now, and come from there. */
static void move_views(struct spiller *spiller, uint32_t value, const struct stand_ins *stand) {
    uint32_t group = spiller->p->variables.data[value].decl.group,
             count = stand->in_lanes ? stand->count : 0;
    for (size_t i = 0; i < spiller->p->moves.len; i++) {
        struct ir_move *m = &spiller->p->moves.data[i];
        if (m->to == value && m->to_view != IR_NONE)
            m->to_view = view_there(spiller, m->to_view, group, count);
        if (m->from == value && m->from_view != IR_NONE)
            m->from_view = view_there(spiller, m->from_view, group, count);
        if (m->to == value && count)
            write_lanes(m, dims_of(spiller->p, ir_move_to_group(spiller->p, m)) - 1);
        if (m->from == value && count)
            read_lanes(m, dims_of(spiller->p, ir_move_from_group(spiller->p, m)) - 1);
    }
}

/* The home of an array whose elements lie side by side. */
static void lie_in_lanes(struct spiller *spiller, uint32_t value) {
    const struct variable was = spiller->p->variables.data[value].decl;
    struct variable *now = &spiller->p->variables.data[value].decl;
    now->group = group_of_lanes(spiller, &was);
    now->scope = (struct group_scope){0};
    now->count = 1;
    now->has_k = false;
    now->form.shaped = !was.has_k; /* a single value is still no array */
}

/* The variable's own record becomes the home, which the program knows by its name; what stands for
 * it is not seen from outside. */
static void move_home(struct spiller *spiller, uint32_t value) {
    struct ir_program *p = spiller->p;
    const struct variable decl = p->variables.data[value].decl;
    bool in_lanes = lies_in_lanes(spiller, &decl), everywhere = decl.group == NO_INDEX;
    struct stand_ins stand = {
        .home = value,
        .whole = IR_NONE,
        .group = decl.group,
        .count = decl.count,
        .everywhere = everywhere,
        .in_lanes = in_lanes,
        .apart = everywhere || in_lanes ||
                 (spiller->splits && decl.has_k && ir_group_dims(p, decl.group) < MOVE_MAX_DIMS)};
    memset(stand.single, 0xff, sizeof stand.single);
    p->variables.data[value].is_home = p->variables.data[value].stays = true;
    if (in_lanes)
        lie_in_lanes(spiller, value);
    else
        p->variables.data[value].decl.group = group_for(spiller, &decl);
    move_views(spiller, value, &stand);
    for (size_t i = 0; i < p->images.len; i++)
        bring(spiller, &p->images.data[i].nodes, &stand);
}

/* ---- which ---- */

/* Steps 64 * word .. at which some register of the variable is held, a bit for each. */
static uint64_t held_word(const struct ir_lives *lives, uint32_t value, uint64_t word) {
    uint64_t held = 0;
    for (uint32_t slot = lives->first[value]; slot < lives->first[value + 1]; slot++)
        held |= lives->held[slot * lives->step_words + word];
    return held;
}

static uint32_t steps_held(const struct ir_lives *lives, uint32_t value) {
    uint32_t n = 0;
    for (uint64_t word = 0; word < lives->step_words; word++)
        n += (uint32_t)__builtin_popcountll(held_word(lives, value, word));
    return n;
}

/* Adds what a variable takes at the steps at which it is held and `value` is, too. */
static void add_held(const struct spiller *spiller, uint32_t value, uint32_t other,
                     struct ir_room *taken) {
    for (uint64_t word = 0; word < spiller->l->step_words; word++)
        for (uint64_t left =
                 held_word(spiller->l, value, word) & held_word(spiller->l, other, word);
             left; left &= left - 1)
            take(&taken[64 * word + (unsigned)__builtin_ctzll(left)],
                 &spiller->p->variables.data[other].decl);
}

static unsigned beyond(unsigned taken, unsigned there) {
    return taken > there ? taken - there : 0;
}

/* The step of those at which `value` is held that has most registers, and what it has too much:
 * each has bits and columns of its own, so that much has to go from there whoever has which. */
static uint32_t worst_step(const struct spiller *spiller, uint32_t value, struct ir_room *excess) {
    const struct ir_room *room = &spiller->room;
    uint32_t worst = 0, steps = spiller->l->step_count;
    struct ir_room *taken = xcalloc((size_t)steps + 1, sizeof *taken);
    for (uint32_t step = 0; step < steps; step++)
        taken[step].sections = room->sections;
    for (uint32_t w = 0; w < spiller->p->variables.len; w++)
        if (ir_registers_meet(spiller->p, value, w))
            add_held(spiller, value, w, taken);
    for (uint32_t step = 1; step < steps; step++)
        worst = taken[step].registers > taken[worst].registers ? step : worst;
    const struct ir_room most = taken[worst];
    free(taken);
    *excess = (struct ir_room){.registers = beyond(most.registers, room->registers),
                               .bits = beyond(most.bits, room->bits),
                               .columns = beyond(most.columns, room->columns),
                               .sections = room->sections};
    if (!excess->registers)
        excess->registers = 1;
    return worst;
}

static bool is_everywhere(const struct spiller *spiller, uint32_t value) {
    return spiller->p->variables.data[value].decl.group == NO_INDEX;
}

static bool is_statements(const struct spiller *spiller, uint32_t value) {
    const struct ir_variable *v = &spiller->p->variables.data[value];
    return v->hidden && !v->lasting;
}

/* First what has a group, and what lives behind its statement; then fewer transfers per register;
 * of equals the one that is held longest. */
static bool is_better(const struct spiller *spiller, uint32_t left, uint32_t right) {
    if (right != IR_NONE && is_everywhere(spiller, left) != is_everywhere(spiller, right))
        return !is_everywhere(spiller, left);
    if (right != IR_NONE && is_statements(spiller, left) != is_statements(spiller, right))
        return !is_statements(spiller, left);
    if (right == IR_NONE || spiller->transfers[left] != spiller->transfers[right])
        return right == IR_NONE || spiller->transfers[left] < spiller->transfers[right];
    return steps_held(spiller->l, left) > steps_held(spiller->l, right);
}

static bool together(const struct spiller *spiller, uint32_t left, uint32_t right) {
    for (uint64_t word = 0; word < spiller->l->step_words; word++)
        if (held_word(spiller->l, left, word) & held_word(spiller->l, right, word))
            return true;
    return false;
}

/* At the step, or (IR_NONE) wherever `lacks` is. */
static uint32_t choose(const struct spiller *spiller, uint32_t lacks, uint32_t step) {
    uint32_t best = IR_NONE;
    for (uint32_t v = 0; v < spiller->known; v++) {
        if (spiller->p->variables.data[v].stays || !ir_registers_meet(spiller->p, v, lacks))
            continue;
        bool helps = step != IR_NONE ? ir_lives_holds_some(spiller->l, v, step)
                                     : v == lacks || together(spiller, v, lacks);
        if (helps && is_better(spiller, v, best))
            best = v;
    }
    return best;
}

/* False if nothing can be moved that helps. */
static bool move_some(struct spiller *spiller, uint32_t lacks) {
    struct ir_room excess, moved = {.sections = spiller->room.sections};
    uint32_t step = worst_step(spiller, lacks, &excess), v;
    while (!is_within(&excess, &moved) && (v = choose(spiller, lacks, step)) != IR_NONE) {
        take(&moved, &spiller->p->variables.data[v].decl);
        move_home(spiller, v);
    }
    if (moved.registers)
        return true;
    v = choose(spiller, lacks, IR_NONE);
    if (v != IR_NONE)
        move_home(spiller, v);
    return v != IR_NONE;
}

bool ir_spill(struct ir_program *program, struct ir_room room, struct ir_room home, bool splits,
              uint64_t *work, uint64_t most, const struct diag *diag, struct ir_lives *lives) {
    struct spiller s = {
        .p = program, .d = diag, .l = lives, .room = room, .home = home, .splits = splits};
    bool good = false, more = true, parted = false;
    weigh_all(&s);
    *lives = (struct ir_lives){0};
    while (more) {
        ir_lives_free(lives);
        if (!ir_lives_find(lives, program, false))
            break;
        uint32_t lacks = ir_registers_give(program, lives, true, room);
        good = lacks == IR_NONE;
        *work += (uint64_t)lives->step_count * program->variables.len;
        more = !good && *work < most;
        if (more && !move_some(&s, lacks)) {
            more = !parted && ir_spill_part(program);
            parted = true;
        }
    }
    free(s.transfers);
    vec_free(&s.uses.items);
    map_free(&s.moves);
    return good;
}
