/* SPDX-License-Identifier: MIT */
#include "known_text.h"

#include "recipe/map/memo.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* What was searched for one list of gates, which several targets may have. */
struct group {
    struct map_gates gates;
    struct str targets;
    VEC(struct search_memory) programs;
};

struct groups {
    VEC(struct group) list;
};

/* --- searching --- */

static bool same_gates(const struct map_gates *a, const struct map_gates *b) {
    return a->count == b->count && a->zero == b->zero && a->one == b->one &&
           mapping_same_gates(a->gates, b->gates, a->count);
}

/* `target` (may be NULL) is named with it. */
static struct group *group_of(struct groups *g, const struct map_gates *gates, const char *target) {
    struct group *found = NULL;
    for (size_t i = 0; i < g->list.len && !found; i++)
        if (same_gates(&g->list.data[i].gates, gates))
            found = &g->list.data[i];
    if (!found) {
        vec_push(&g->list, ((struct group){.gates = *gates}));
        found = &g->list.data[g->list.len - 1];
    }
    if (target)
        str_printf(&found->targets, "%s%s", found->targets.len ? ", " : "", target);
    return found;
}

static void add_program(struct group *g, const struct search_memory *x) {
    for (size_t i = 0; i < g->programs.len; i++)
        if (memcmp(&g->programs.data[i].key, &x->key, sizeof x->key) == 0)
            return;
    vec_push(&g->programs, *x);
}

static void search_all(struct groups *g, struct recipe_set *s) {
    s->search_anew = true;
    for (unsigned op = 0; op < OP_COUNT; op++)
        recipe_exists(s, (enum isa_op)op);
    if (!s->searches)
        return;
    struct group *group =
        group_of(g, &s->searches->gates, s->target->arith == ARITH_EXACT ? s->target->name : NULL);
    for (const struct search_memory *x = s->searches->latest; x; x = x->next)
        add_program(group, x);
}

static bool search_target(struct groups *g, const char *name, const char *arith, struct diag *d) {
    const struct target_override override = {"arith", arith};
    struct target *t = target_open(name, NULL, 0, d);
    bool fine = t, plane = fine && t->kind == &technology_target_kind;
    target_free(t);
    if (!plane) /* it has no such key */
        return fine;
    t = target_open(name, &override, 1, d);
    struct recipe_set *s = t ? recipe_set_open_mapped(t, d) : NULL;
    if (s)
        search_all(g, s);
    recipe_set_free(s);
    target_free(t);
    return s;
}

/* --- printing --- */

static int compare_memories(const void *a, const void *b) {
    const struct search_memory *x = a, *y = b;
    return memcmp(&x->key, &y->key, sizeof x->key);
}

static void print_gates(const struct group *g, size_t n, struct str *out) {
    str_printf(out, "\n/* %s: functions, places and costs of the gates */\n",
               str_text(&g->targets));
    str_printf(out, "static const struct search_gate gates_%zu[] = {\n", n);
    for (unsigned i = 0; i < g->gates.count; i++) {
        const struct search_gate *x = &g->gates.gates[i];
        str_printf(out, "{%u, 0x%02X, {0x%02X, 0x%02X, 0x%02X}, 0x%02X, %" PRIu32 ", 0},\n",
                   x->nsrc, x->truth, x->src_places[0], x->src_places[1], x->src_places[2],
                   x->dst_places, x->cost);
    }
    str_append(out, "};\n");
}

static size_t print_steps(const struct search_memory *x, struct str *out) {
    size_t count = x->found ? x->program.step_count : 0;
    for (size_t i = 0; i < count; i++) {
        const struct search_step *s = &x->program.steps[i];
        str_printf(out, "{%u,%u,{%u,%u,%u}},%s", s->gate, s->place, s->src[0], s->src[1], s->src[2],
                   i + 1 < count ? " " : "\n");
    }
    return count;
}

static void print_program(const struct search_memory *x, size_t first_step, struct str *out) {
    const struct search_key *k = &x->key;
    const struct search_program *p = &x->program;
    str_printf(out, "{{%u, %u, {0x%02X, 0x%02X, 0x%02X}, {{0x%02X, 0x%02X}, {0x%02X, 0x%02X}}}, ",
               k->value_count, k->output_count, k->values[0], k->values[1], k->values[2],
               k->outputs[0][0], k->outputs[0][1], k->outputs[1][0], k->outputs[1][1]);
    if (!x->found)
        str_append(out, "0, 0, 0, 0, {0, 0}, 0, 0},\n");
    else
        str_printf(out, "1, %d, %" PRIu64 ", %" PRIu64 ", {%u, %u}, %u, %zu},\n", p->minimal,
                   p->cost, p->chain, p->outputs[0], p->outputs[1], p->step_count, first_step);
}

static void print_group(struct group *g, size_t n, struct str *out) {
    size_t first = 0;
    qsort(g->programs.data, g->programs.len, sizeof g->programs.data[0], compare_memories);
    print_gates(g, n, out);
    str_printf(out, "/* gate, place, sources */\nstatic const struct known_step steps_%zu[] = {\n",
               n);
    for (size_t i = 0; i < g->programs.len; i++)
        print_steps(&g->programs.data[i], out);
    str_printf(out,
               "{0}};\n/* key; found, minimal, cost, chain, outputs, steps, first step */\n"
               "static const struct known_program programs_%zu[] = {\n",
               n);
    for (size_t i = 0; i < g->programs.len; i++) {
        const struct search_memory *x = &g->programs.data[i];
        print_program(x, first, out);
        first += x->found ? x->program.step_count : 0;
    }
    str_append(out, "};\n");
}

static void print_all(struct groups *g, struct str *out) {
    str_append(out, "/* SPDX-License-Identifier: MIT\n"
                    " * Generated: cmake --build build --target recipe-programs. */\n");
    for (size_t i = 0; i < g->list.len; i++)
        print_group(&g->list.data[i], i, out);
    str_append(out, "\nstatic const struct known_gates all_known[] = {\n");
    for (size_t i = 0; i < g->list.len; i++) {
        const struct map_gates *gates = &g->list.data[i].gates;
        str_printf(out, "{gates_%zu, %u, %d, %d, programs_%zu, %zu, steps_%zu},\n", i, gates->count,
                   gates->zero, gates->one, i, g->list.data[i].programs.len, i);
    }
    str_append(out, "};\n");
}

static void free_groups(struct groups *g) {
    for (size_t i = 0; i < g->list.len; i++) {
        vec_free(&g->list.data[i].programs);
        str_free(&g->list.data[i].targets);
    }
    vec_free(&g->list);
}

/* Whether each is listed as it was found. */
static bool is_listed(const struct group *g) {
    const struct known_gates *known = mapping_known_find(&g->gates);
    for (size_t i = 0; i < g->programs.len; i++) {
        const struct search_memory *x = &g->programs.data[i];
        struct search_memory listed = {.key = x->key};
        struct str texts[2] = {{0}};
        bool fine = known && mapping_known_recall(known, &g->gates, &listed);
        for (unsigned k = 0; k < 2 && fine; k++) {
            print_program(k ? &listed : x, 0, &texts[k]);
            print_steps(k ? &listed : x, &texts[k]);
        }
        fine = fine && strcmp(texts[0].text, texts[1].text) == 0;
        str_free(&texts[0]);
        str_free(&texts[1]);
        if (!fine)
            return false;
    }
    return true;
}

bool known_are_listed(const char *target, struct diag *d) {
    struct groups g = {0};
    bool fine = search_target(&g, target, "exact", d) && search_target(&g, target, "flush", d);
    for (size_t i = 0; i < g.list.len && fine; i++)
        fine = is_listed(&g.list.data[i]);
    free_groups(&g);
    return fine;
}

bool known_text(struct str *out, struct diag *d) {
    struct groups g = {0};
    size_t count;
    const char *const *names = target_names(&count);
    bool fine = true;
    for (size_t i = 0; i < count && fine; i++)
        fine = search_target(&g, names[i], "exact", d) && search_target(&g, names[i], "flush", d);
    if (fine)
        print_all(&g, out);
    free_groups(&g);
    return fine;
}
