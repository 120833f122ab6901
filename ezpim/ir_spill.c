/* SPDX-License-Identifier: MIT
 * Variables in VRFs of their own: what can lie elsewhere, which do, and the moves around ensembles.
 * Behind each ensemble the home of a variable has its value. */
#include "ezpim/ir_spill.h"
#include "ezpim/ir_build.h"
#include "ezpim/ir_touched.h"

#include <stdlib.h>
#include <string.h>

/* ---- uses ---- */

struct use {
    uint32_t variable;
    bool writes;
};
struct uses {
    VEC(struct use) items;
    const struct ir_code *code;
};

static void note_vreg(void *context, uint32_t *vreg, bool writes) {
    struct uses *u = context;
    uint32_t v = u->code->vregs.data[*vreg].variable;
    if (v == IR_NONE)
        return;
    for (size_t i = 0; i < u->items.len; i++)
        if (u->items.data[i].variable == v) {
            u->items.data[i].writes |= writes;
            return;
        }
    struct use use = {v, writes};
    vec_push(&u->items, use);
}

/* Variables that the code names, each once. */
static void find_uses(struct ir_code *code, struct uses *u) {
    vec_clear(&u->items);
    u->code = code;
    for (size_t i = 0; code && i < code->insns.len; i++)
        ir_visit(&code->insns.data[i], note_vreg, u);
}

struct spiller {
    struct ir_program *p;
    const struct diag *d;
    struct ir_lives *l;
    struct ir_room room;
    unsigned home_bits;
    struct map moves;
    uint64_t *transfers; /* [variables]: that each would take, loops weighed in */
    size_t known;        /* variables when transfers were counted */
    struct uses uses;
    uint64_t work;
};

static void keep(const struct spiller *s, uint32_t v) {
    s->p->variables.data[v].stays = true;
}

static void keep_ends(const struct spiller *s, const struct ir_node *n) {
    const struct ir_move *m = &s->p->moves.data[n->move];
    keep(s, m->to);
    keep(s, m->from);
}

/* An index lies beside the elements that it is of, which stay there for it. */
static void keep_index(const struct spiller *s, const struct ir_node *n) {
    const struct ir_move *m = &s->p->moves.data[n->move];
    if (!m->record.index.kind)
        return;
    keep(s, m->index);
    keep(s, m->record.index.kind == INDEX_SCATTER ? m->from : m->to);
}

static void weigh_node(struct spiller *s, struct ir_node *n, uint64_t weight) {
    if (n->kind == IR_NODE_SEND || (n->kind == IR_NODE_MOVE && n->own))
        keep_ends(s, n);
    if (n->kind == IR_NODE_MOVE)
        keep_index(s, n);
    if (n->kind == IR_NODE_RECV)
        keep(s, n->lands);
    find_uses(n->code, &s->uses);
    for (size_t i = 0; i < s->uses.items.len; i++) {
        const struct use *u = &s->uses.items.data[i];
        s->transfers[u->variable] += ir_weight_mul(weight, u->writes ? 2 : 1);
        if (n->kind == IR_NODE_WHILE || n->own || (n->kind == IR_NODE_IF && u->writes))
            keep(s, u->variable);
    }
}

static void weigh(struct spiller *s, struct ir_node *n, uint64_t weight) {
    for (; n; n = n->next) {
        bool loops = n->kind == IR_NODE_REPEAT || n->kind == IR_NODE_WHILE;
        uint64_t inside = loops ? ir_weight_mul(weight, IR_LAPS) : weight;
        weigh_node(s, n, inside);
        weigh(s, n->body, inside);
        weigh(s, n->otherwise, inside);
    }
}

/* What cannot lie elsewhere: what is the same everywhere, what the compiler makes for a statement,
 * what has a length, what loops ask, what messages carry, what some MPUs do alone. */
static void weigh_all(struct spiller *s) {
    s->known = s->p->variables.len;
    s->transfers = xcalloc(s->known + 1, sizeof *s->transfers);
    for (size_t v = 0; v < s->known; v++)
        s->p->variables.data[v].stays |=
            (s->p->variables.data[v].hidden && !s->p->variables.data[v].lasting) ||
            s->p->variables.data[v].decl.group == NO_INDEX;
    for (size_t i = 0; i < s->p->lengths.len; i++)
        keep(s, s->p->lengths.data[i].variable);
    for (size_t i = 0; i < s->p->images.len; i++)
        weigh(s, s->p->images.data[i].nodes, 1);
}

/* ---- homes ---- */

struct taken {
    unsigned registers, bits;
};

static struct taken taken_in(const struct ir_program *p, uint32_t group) {
    struct taken t = {.registers = (unsigned)__builtin_popcountll(p->taken)};
    for (size_t v = 0; v < p->variables.len; v++) {
        const struct variable *x = &p->variables.data[v].decl;
        if (x->group != NO_INDEX && x->group != group)
            continue;
        t.registers += x->count;
        t.bits += x->count * x->type.bits;
    }
    return t;
}

static bool is_spill_of(const struct ir_program *p, uint32_t group, uint32_t base) {
    const char *name = p->groups.data[group].name, *of = p->groups.data[base].name;
    size_t n = strlen(of);
    return strncmp(name, of, n) == 0 && strncmp(name + n, ".spill", 6) == 0;
}

static uint32_t group_for(struct spiller *s, const struct variable *x) {
    struct ir_program *p = s->p;
    uint32_t number = 1;
    for (uint32_t g = 0; g < p->groups.len; g++) {
        if (!is_spill_of(p, g, x->group))
            continue;
        struct taken t = taken_in(p, g);
        if (t.registers + x->count <= IR_REGISTERS &&
            t.bits + x->count * x->type.bits <= s->home_bits)
            return g;
        number++;
    }
    struct group g = p->groups.data[x->group];
    g.name = number == 1 ? arena_printf(p->arena, "%s.spill", g.name)
                         : arena_printf(p->arena, "%s.spill%u", g.name, number);
    g.like = g.at_rfh = g.at_vrf = NO_INDEX;
    vec_push(&p->groups, g);
    return (uint32_t)p->groups.len - 1;
}

/* ---- transfers ---- */

static bool names(struct spiller *s, struct ir_node *n, uint32_t v, bool *writes) {
    find_uses(n->code, &s->uses);
    for (size_t i = 0; i < s->uses.items.len; i++)
        if (s->uses.items.data[i].variable == v) {
            *writes = s->uses.items.data[i].writes;
            return true;
        }
    return false;
}

static void rename_vregs(struct ir_code *code, uint32_t from, uint32_t to) {
    for (size_t i = 0; i < code->vregs.len; i++)
        if (code->vregs.data[i].variable == from)
            code->vregs.data[i].variable = to;
}

/* A transfer between the node that *link names and what it follows. */
static struct ir_node **insert_move(struct spiller *s, struct ir_node **link, uint32_t to,
                                    uint32_t from, struct span at) {
    struct ir_builder b = {.p = s->p, .diag = s->d, .moves = s->moves, .end = link};
    struct ir_node *behind = *link;
    const struct ir_move m = ir_plain_move(s->p, to, from);
    struct ir_node *n = ir_put_move(&b, &m, at);
    s->moves = b.moves;
    n->next = behind;
    return &n->next;
}

static void bring(struct spiller *s, struct ir_node **link, uint32_t home, uint32_t here) {
    for (bool writes; *link; link = &(*link)->next) {
        struct ir_node *n = *link;
        bring(s, &n->body, home, here);
        bring(s, &n->otherwise, home, here);
        if (!names(s, n, home, &writes))
            continue;
        rename_vregs(n->code, home, here);
        link = insert_move(s, link, here, home, n->at);
        if (writes) {
            insert_move(s, &n->next, home, here, n->at);
            link = &n->next;
        }
    }
}

/* The same coordinates on the VRFs of another group. */
static uint32_t view_there(struct spiller *s, uint32_t view, uint32_t group) {
    struct ir_builder b = {.p = s->p, .diag = s->d};
    const struct group g = s->p->groups.data[view];
    return ir_group_like(&b, group, g.ndim, g.extent);
}

/* Moves go to where the variable lies now, and come from there. */
static void move_views(struct spiller *s, uint32_t v) {
    uint32_t group = s->p->variables.data[v].decl.group;
    for (size_t i = 0; i < s->p->moves.len; i++) {
        struct ir_move *m = &s->p->moves.data[i];
        if (m->to == v && m->to_view != IR_NONE)
            m->to_view = view_there(s, m->to_view, group);
        if (m->from == v && m->from_view != IR_NONE)
            m->from_view = view_there(s, m->from_view, group);
    }
}

/* The variable's own record becomes the home, which the program knows by its name; what stands for
 * it is not seen from outside. */
static void move_home(struct spiller *s, uint32_t v) {
    struct ir_program *p = s->p;
    struct ir_variable here = p->variables.data[v];
    uint32_t number = (uint32_t)p->variables.len;
    here.hidden = here.stays = true;
    here.spilled_to = v;
    here.decl.direction = 0;
    vec_push(&p->variables, here);
    p->variables.data[v].is_home = p->variables.data[v].stays = true;
    p->variables.data[v].decl.group = group_for(s, &here.decl);
    move_views(s, v);
    for (size_t i = 0; i < p->images.len; i++)
        bring(s, &p->images.data[i].nodes, v, number);
}

/* ---- which ---- */

static uint32_t steps_held(const struct ir_lives *l, uint32_t v) {
    uint32_t n = 0;
    for (uint32_t s = 0; s < l->step_count; s++)
        n += ir_lives_holds_some(l, v, s);
    return n;
}

/* Registers and bits that variables beside v hold at the step. */
static struct taken held_at(const struct spiller *s, uint32_t v, uint32_t step) {
    struct taken t = {0};
    for (uint32_t w = 0; w < s->p->variables.len; w++) {
        const struct variable *x = &s->p->variables.data[w].decl;
        if (!ir_registers_meet(s->p, v, w) || !ir_lives_holds_some(s->l, w, step))
            continue;
        t.registers += x->count;
        t.bits += x->count * x->type.bits;
    }
    return t;
}

/* The step of those at which v is held that has most, and how many registers it has too many. */
static uint32_t worst_step(const struct spiller *s, uint32_t v, unsigned *excess) {
    uint32_t worst = 0;
    unsigned most = 0;
    for (uint32_t step = 0; step < s->l->step_count; step++) {
        unsigned here = ir_lives_holds_some(s->l, v, step) ? held_at(s, v, step).registers : 0;
        worst = here > most ? step : worst;
        most = here > most ? here : most;
    }
    *excess = most > s->room.registers ? most - s->room.registers : 1;
    return worst;
}

/* Fewer transfers per register; of equals the one that is held longest. */
static bool is_better(const struct spiller *s, uint32_t a, uint32_t b) {
    if (b == IR_NONE || s->transfers[a] != s->transfers[b])
        return b == IR_NONE || s->transfers[a] < s->transfers[b];
    return steps_held(s->l, a) > steps_held(s->l, b);
}

static bool together(const struct spiller *s, uint32_t a, uint32_t b) {
    if (!ir_registers_meet(s->p, a, b))
        return false;
    for (uint32_t step = 0; step < s->l->step_count; step++)
        if (ir_lives_holds_some(s->l, a, step) && ir_lives_holds_some(s->l, b, step))
            return true;
    return false;
}

/* At the step, or (IR_NONE) wherever `lacks` is. */
static uint32_t choose(const struct spiller *s, uint32_t lacks, uint32_t step) {
    uint32_t best = IR_NONE;
    for (uint32_t v = 0; v < s->known; v++) {
        bool helps = step != IR_NONE ? ir_lives_holds_some(s->l, v, step)
                                     : v == lacks || together(s, v, lacks);
        if (helps && !s->p->variables.data[v].stays && ir_registers_meet(s->p, v, lacks) &&
            is_better(s, v, best))
            best = v;
    }
    return best;
}

/* False if nothing can be moved that helps. */
static bool move_some(struct spiller *s, uint32_t lacks) {
    unsigned excess, moved = 0;
    uint32_t step = worst_step(s, lacks, &excess), v;
    while (moved < excess && (v = choose(s, lacks, step)) != IR_NONE) {
        moved += s->p->variables.data[v].decl.count;
        move_home(s, v);
    }
    if (moved)
        return true;
    v = choose(s, lacks, IR_NONE);
    if (v != IR_NONE)
        move_home(s, v);
    return v != IR_NONE;
}

/* Variables times steps that are looked at before giving up, some ten seconds of work. */
static const uint64_t MOST_WORK = (uint64_t)1 << 31;

bool ir_spill(struct ir_program *p, struct ir_room room, unsigned home_bits, const struct diag *d,
              struct ir_lives *l) {
    struct spiller s = {.p = p, .d = d, .l = l, .room = room, .home_bits = home_bits};
    bool good = false, more = true;
    weigh_all(&s);
    *l = (struct ir_lives){0};
    while (more) {
        ir_lives_free(l);
        if (!ir_lives_find(l, p, false))
            break;
        uint32_t lacks = ir_registers_give(p, l, true, room);
        good = lacks == IR_NONE;
        s.work += (uint64_t)l->step_count * p->variables.len;
        more = !good && s.work < MOST_WORK && move_some(&s, lacks);
    }
    free(s.transfers);
    vec_free(&s.uses.items);
    map_free(&s.moves);
    return good;
}

/* ---- what is said of it ---- */

/* A transfer at a node, or two. */
struct transfer {
    struct span at;
    bool writes;
};
struct transfers {
    VEC(struct transfer) items; /* in the order of the nodes */
};

static bool is_transfer(const struct ir_program *p, const struct ir_node *n, uint32_t home,
                        bool back) {
    if (!n || n->kind != IR_NODE_MOVE)
        return false;
    const struct ir_move *m = &p->moves.data[n->move];
    uint32_t here = back ? m->from : m->to;
    return (back ? m->to : m->from) == home && p->variables.data[here].spilled_to == home;
}

static void list_transfers(const struct ir_program *p, const struct ir_node *n, uint32_t home,
                           struct transfers *list) {
    for (; n; n = n->next) {
        if (is_transfer(p, n, home, false)) {
            struct transfer t = {n->at, false};
            vec_push(&list->items, t);
        } else if (is_transfer(p, n, home, true) && list->items.len) {
            vec_last(&list->items).writes = true;
        }
        list_transfers(p, n->body, home, list);
        list_transfers(p, n->otherwise, home, list);
    }
}

/* Transfers of the statement at hand and of its like: a loop may have been written out. */
static size_t note_statement(const struct transfers *list, size_t i, struct diag *d) {
    const struct transfer *t = &list->items.data[i];
    size_t times = 1;
    while (i + times < list->items.len &&
           memcmp(&list->items.data[i + times].at, &t->at, sizeof t->at) == 0)
        times++;
    diag_note(d, t->at, "%s %s",
              t->writes ? "2 transfers: it is brought here and taken back"
                        : "1 transfer: it is brought here",
              times > 1 ? "in each lap" : "each time");
    return times;
}

static void report(const struct ir_program *p, uint32_t home, enum warning w, struct diag *d) {
    enum { NOTES = 20 };
    struct transfers list = {0};
    const struct ir_variable *v = &p->variables.data[home];
    size_t notes = 0, i = 0;
    list_transfers(p, p->images.data[0].nodes, home, &list);
    bool named = v->decl.name[0] != '$';
    diag_warning(d, w, v->at,
                 "%s%s%s has no register for good: it lies in VRFs of its own, group `%s`",
                 named ? "`" : "", named ? v->decl.name : "this value", named ? "`" : "",
                 p->groups.data[v->decl.group].name);
    for (; i < list.items.len && notes < NOTES; notes++)
        i += note_statement(&list, i, d);
    if (i < list.items.len)
        diag_note(d, list.items.data[i].at, "and so on, in %zu more statements",
                  list.items.len - i);
    vec_free(&list.items);
}

void ir_report_spills(const struct ir_program *p, enum warning w, struct diag *d) {
    for (uint32_t v = 0; v < p->variables.len; v++)
        if (p->variables.data[v].is_home)
            report(p, v, w, d);
}
