/* SPDX-License-Identifier: MIT
 * Signatures: what callers count on, against what the object that defines a subroutine says. */
#include "linker/join/link.h"

/* By name: of the output's globals, and of its signatures. */
struct signatures {
    struct map symbols, known;
};

static struct sub_signature signature_out(struct link *link, const struct link_input *in,
                                          const struct sub_signature *signature) {
    struct sub_signature out = *signature;
    out.name = arena_strdup(&link->out->arena, signature->name);
    out.place = link_place_out(in, signature->place);
    return out;
}

static bool same_passed(const struct passed_register *left, uint32_t a_count,
                        const struct passed_register *right, uint32_t b_count) {
    bool same = a_count == b_count;
    for (uint32_t i = 0; same && i < a_count; i++)
        same = left[i].reg == right[i].reg && left[i].type.kind == right[i].type.kind &&
               left[i].type.bits == right[i].type.bits;
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

static void note_signature(struct link *link, const char *who,
                           const struct sub_signature *signature) {
    struct str text = {0};
    object_signature_text(signature, &text);
    diag_note(link->d, object_span(link->out, signature->place, link->d), "%s: %s", who,
              str_text(&text));
    str_free(&text);
}

static void compare(struct link *link, const struct sub_signature *caller,
                    const struct sub_signature *callee, bool defined) {
    const char *problem = difference(caller, callee, defined);
    if (!problem)
        return;
    diag_error(link->d, object_span(link->out, caller->place, link->d), "'%s' %s", caller->name,
               problem);
    note_signature(link, "as it is called", caller);
    note_signature(link, defined ? "as it is defined" : "as another calls it", callee);
}

static void keep(struct link *link, struct signatures *signatures,
                 const struct sub_signature *signature) {
    map_put(&signatures->known, signature->name, link->out->signatures.len);
    vec_push(&link->out->signatures, *signature);
}

/* Names of the input's globals that it defines. */
static void find_defined(const struct object *object, struct map *names) {
    for (size_t i = 0; i < object->symbols.len; i++)
        if (object->symbols.data[i].global && object->symbols.data[i].defined)
            map_put(names, object->symbols.data[i].name, i);
}

/* A caller's; the symbol is left in the output. */
static void take_declared(struct link *link, struct signatures *signatures,
                          const struct sub_signature *signature, const struct symbol *symbol) {
    const uint64_t *at = map_get(&signatures->known, signature->name);
    if (at) {
        struct sub_signature *known = &link->out->signatures.data[*at];
        compare(link, signature, known, symbol->defined);
        if (!symbol->defined) /* a definition must suit all callers */
            known->writes &= signature->writes;
        return;
    }
    if (!symbol->defined) { /* -r: the definition is still to come */
        keep(link, signatures, signature);
        return;
    }
    diag_warning(link->d, W_SIGNATURE, object_span(link->out, signature->place, link->d),
                 "nothing says whether '%s' keeps to this: its definition has no signature",
                 signature->name);
    diag_note(link->d, object_span(link->out, symbol->place, link->d), "'%s' is defined here",
              signature->name);
}

/* Those of the input that are definitions, or all others. */
static void take_input(struct link *link, struct signatures *signatures,
                       const struct link_input *in, bool definitions) {
    struct map defined = {0};
    if (in->o->signatures.len)
        find_defined(in->o, &defined);
    for (size_t i = 0; i < in->o->signatures.len && !diag_full(link->d); i++) {
        struct sub_signature s = signature_out(link, in, &in->o->signatures.data[i]);
        const uint64_t *symbol = map_get(&signatures->symbols, s.name);
        if (!symbol || (map_get(&defined, s.name) != NULL) != definitions)
            continue;
        if (definitions)
            keep(link, signatures, &s);
        else
            take_declared(link, signatures, &s, &link->out->symbols.data[*symbol]);
    }
    map_free(&defined);
}

void link_merge_signatures(struct link *link) {
    struct signatures t = {0};
    for (size_t i = 0; i < link->out->symbols.len; i++)
        if (link->out->symbols.data[i].global)
            map_put(&t.symbols, link->out->symbols.data[i].name, i);
    for (size_t k = 0; k < link->count; k++)
        take_input(link, &t, &link->inputs[k], true);
    for (size_t k = 0; k < link->count; k++)
        take_input(link, &t, &link->inputs[k], false);
    map_free(&t.symbols);
    map_free(&t.known);
}
