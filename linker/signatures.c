/* SPDX-License-Identifier: MIT
 * Signatures: what callers count on, against what the object that defines a subroutine says. */
#include "linker/link.h"

/* By name: of the output's globals, and of its signatures. */
struct signatures {
    struct map symbols, known;
};

static struct sub_signature signature_out(struct link *l, const struct link_input *in,
                                          const struct sub_signature *s) {
    struct sub_signature out = *s;
    out.name = arena_strdup(&l->out->arena, s->name);
    out.place = link_place_out(in, s->place);
    return out;
}

static bool same_passed(const struct passed_register *a, uint32_t a_count,
                        const struct passed_register *b, uint32_t b_count) {
    bool same = a_count == b_count;
    for (uint32_t i = 0; same && i < a_count; i++)
        same = a[i].reg == b[i].reg && a[i].type.kind == b[i].type.kind &&
               a[i].type.bits == b[i].type.bits;
    return same;
}

/* In words behind "'f' "; NULL if the caller may call it so.  What registers it may destroy does
 * not count before `callee` is the definition. */
static const char *difference(const struct sub_signature *caller,
                              const struct sub_signature *callee, bool defined) {
    if (!same_passed(caller->in, caller->in_count, callee->in, callee->in_count))
        return "reads other registers or types than its caller passes";
    if (!same_passed(caller->out, caller->out_count, callee->out, callee->out_count))
        return "returns other registers or types than its caller takes";
    if (defined && (callee->writes & ~caller->writes))
        return "destroys registers that its caller counts on";
    return NULL;
}

static void note_signature(struct link *l, const char *who, const struct sub_signature *s) {
    struct str text = {0};
    object_signature_text(s, &text);
    diag_note(l->d, object_span(l->out, s->place, l->d), "%s: %s", who, str_text(&text));
    str_free(&text);
}

static void compare(struct link *l, const struct sub_signature *caller,
                    const struct sub_signature *callee, bool defined) {
    const char *problem = difference(caller, callee, defined);
    if (!problem)
        return;
    diag_error(l->d, object_span(l->out, caller->place, l->d), "'%s' %s", caller->name, problem);
    note_signature(l, "as it is called", caller);
    note_signature(l, defined ? "as it is defined" : "as another calls it", callee);
}

static void keep(struct link *l, struct signatures *t, const struct sub_signature *s) {
    map_put(&t->known, s->name, l->out->signatures.len);
    vec_push(&l->out->signatures, *s);
}

/* Names of the input's globals that it defines. */
static void find_defined(const struct object *o, struct map *names) {
    for (size_t i = 0; i < o->symbols.len; i++)
        if (o->symbols.data[i].global && o->symbols.data[i].defined)
            map_put(names, o->symbols.data[i].name, i);
}

/* A caller's; the symbol is left in the output. */
static void take_declared(struct link *l, struct signatures *t, const struct sub_signature *s,
                          const struct symbol *symbol) {
    const uint64_t *at = map_get(&t->known, s->name);
    if (at) {
        struct sub_signature *known = &l->out->signatures.data[*at];
        compare(l, s, known, symbol->defined);
        if (!symbol->defined) /* a definition must suit all callers */
            known->writes &= s->writes;
        return;
    }
    if (!symbol->defined) { /* -r: the definition is still to come */
        keep(l, t, s);
        return;
    }
    diag_warning(l->d, W_SIGNATURE, object_span(l->out, s->place, l->d),
                 "nothing says whether '%s' keeps to this: its definition has no signature",
                 s->name);
    diag_note(l->d, object_span(l->out, symbol->place, l->d), "'%s' is defined here", s->name);
}

/* Those of the input that are definitions, or all others. */
static void take_input(struct link *l, struct signatures *t, const struct link_input *in,
                       bool definitions) {
    struct map defined = {0};
    if (in->o->signatures.len)
        find_defined(in->o, &defined);
    for (size_t i = 0; i < in->o->signatures.len && !diag_full(l->d); i++) {
        struct sub_signature s = signature_out(l, in, &in->o->signatures.data[i]);
        const uint64_t *symbol = map_get(&t->symbols, s.name);
        if (!symbol || (map_get(&defined, s.name) != NULL) != definitions)
            continue;
        if (definitions)
            keep(l, t, &s);
        else
            take_declared(l, t, &s, &l->out->symbols.data[*symbol]);
    }
    map_free(&defined);
}

void link_merge_signatures(struct link *l) {
    struct signatures t = {0};
    for (size_t i = 0; i < l->out->symbols.len; i++)
        if (l->out->symbols.data[i].global)
            map_put(&t.symbols, l->out->symbols.data[i].name, i);
    for (size_t k = 0; k < l->count; k++)
        take_input(l, &t, &l->inputs[k], true);
    for (size_t k = 0; k < l->count; k++)
        take_input(l, &t, &l->inputs[k], false);
    map_free(&t.symbols);
    map_free(&t.known);
}
