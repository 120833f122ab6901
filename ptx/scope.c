/* SPDX-License-Identifier: MIT
 * Names, registers and labels between braces. */
#include "ptx/parser.h"

#include "support/alloc.h"

#include <string.h>

static uint64_t name_value(enum ptx_name_kind kind, uint32_t index) {
    return (uint64_t)kind << 32 | index;
}

static struct ptx_scope *scope_of(struct ptx_parser *parser) {
    return &parser->scopes.data[parser->scope];
}

bool ptx_scope_open(struct ptx_parser *parser) {
    struct ptx_scope s = {.parent = parser->scope};
    if (++parser->depth > PTX_MAX_SCOPES)
        return ptx_wrong(parser, 0, "more than %d braces stand within each other", PTX_MAX_SCOPES);
    if (!parser->scopes.len)
        s.parent = PTX_NONE;
    vec_push(&parser->scopes, s);
    parser->scope = (uint32_t)parser->scopes.len - 1;
    return true;
}

void ptx_scope_close(struct ptx_parser *parser) {
    parser->scope = scope_of(parser)->parent;
    parser->depth--;
}

static void release(struct ptx_scope *scope) {
    map_free(&scope->names);
    map_free(&scope->labels);
    vec_free(&scope->ranges);
}

void ptx_scopes_end(struct ptx_parser *parser) {
    size_t keep = parser->function ? 1 : 0;
    while (parser->scopes.len > keep)
        release(&parser->scopes.data[--parser->scopes.len]);
    parser->scope = 0;
    parser->depth = 1;
    vec_clear(&parser->uses);
}

/* A declaration that another one has made before is the same one. */
static bool is_again(const struct ptx_parser *parser, uint64_t value, enum ptx_name_kind kind,
                     uint32_t index) {
    if (value >> 32 != kind)
        return false;
    uint32_t before = (uint32_t)value;
    if (kind == PTX_NAME_FUNCTION)
        return !parser->module->functions.data[before].has_body ||
               !parser->module->functions.data[index].has_body;
    return kind == PTX_NAME_VARIABLE && ((parser->module->variables.data[before].linkage |
                                          parser->module->variables.data[index].linkage) &
                                         PTX_EXTERN);
}

bool ptx_name_add(struct ptx_parser *parser, const char *name, enum ptx_name_kind kind,
                  uint32_t index, uint32_t line) {
    struct map *names = &scope_of(parser)->names;
    const uint64_t *known = map_get(names, name);
    if (known && !is_again(parser, *known, kind, index))
        return ptx_wrong(parser, line, "'%s' is declared twice", name);
    map_put(names, name, name_value(kind, index));
    return true;
}

bool ptx_registers_add(struct ptx_parser *parser, const char *prefix, uint64_t count,
                       enum ptx_type type) {
    struct ptx_range r = {prefix, strlen(prefix), count, type};
    if (count > PTX_MAX_REGISTERS)
        return ptx_wrong(parser, 0, "a function has at most %u registers",
                         (unsigned)PTX_MAX_REGISTERS);
    vec_push(&scope_of(parser)->ranges, r);
    return true;
}

static uint32_t new_register(struct ptx_parser *parser, const char *name, enum ptx_type type) {
    struct ptx_register r = {name, type};
    vec_push(&parser->function->registers, r);
    return (uint32_t)parser->function->registers.len - 1;
}

bool ptx_register_add(struct ptx_parser *parser, const char *name, enum ptx_type type,
                      uint32_t line) {
    return ptx_name_add(parser, name, PTX_NAME_REGISTER, new_register(parser, name, type), line);
}

/* "%r12" of a range "%r": 12, without zeros in front. */
static bool is_of_range(const struct ptx_range *range, const char *name) {
    size_t n = strlen(name);
    uint64_t number = 0;
    if (n <= range->n || n - range->n > 8 || memcmp(name, range->prefix, range->n) != 0)
        return false;
    for (size_t i = range->n; i < n; i++) {
        if (name[i] < '0' || name[i] > '9' || (i == range->n && name[i] == '0' && n > i + 1))
            return false;
        number = number * 10 + (uint64_t)(name[i] - '0');
    }
    return number < range->count;
}

static bool find_in(struct ptx_parser *parser, struct ptx_scope *scope, const char *name,
                    enum ptx_name_kind *kind, uint32_t *index) {
    const uint64_t *known = map_get(&scope->names, name);
    if (known) {
        *kind = (enum ptx_name_kind)(*known >> 32);
        *index = (uint32_t)*known;
        return true;
    }
    for (size_t i = scope->ranges.len; parser->function && i-- > 0;) {
        if (!is_of_range(&scope->ranges.data[i], name))
            continue;
        *kind = PTX_NAME_REGISTER;
        *index = new_register(parser, name, scope->ranges.data[i].type);
        map_put(&scope->names, name, name_value(*kind, *index));
        return true;
    }
    return false;
}

bool ptx_name_find(struct ptx_parser *parser, const char *name, enum ptx_name_kind *kind,
                   uint32_t *index) {
    for (uint32_t s = parser->scope; s != PTX_NONE; s = parser->scopes.data[s].parent)
        if (find_in(parser, &parser->scopes.data[s], name, kind, index))
            return true;
    return false;
}

/* ---- labels ---- */

bool ptx_label_add(struct ptx_parser *parser, const char *name, uint32_t line) {
    struct ptx_function *f = parser->function;
    struct ptx_label l = {name, (uint32_t)f->insns.len};
    struct ptx_item item = {PTX_ITEM_LABEL, (uint32_t)f->labels.len, NULL};
    if (!map_put(&scope_of(parser)->labels, name, f->labels.len))
        return ptx_wrong(parser, line, "label '%s' is there twice", name);
    vec_push(&f->labels, l);
    vec_push(&f->items, item);
    return true;
}

void ptx_label_use(struct ptx_parser *parser, struct ptx_operand *operand, const char *name,
                   uint32_t line) {
    struct ptx_label_use u = {operand, name, parser->scope, line};
    vec_push(&parser->uses, u);
}

bool ptx_labels_resolve(struct ptx_parser *parser) {
    for (size_t i = 0; i < parser->uses.len; i++) {
        const struct ptx_label_use *u = &parser->uses.data[i];
        const uint64_t *found = NULL;
        for (uint32_t s = u->scope; s && s != PTX_NONE && !found; s = parser->scopes.data[s].parent)
            found = map_get(&parser->scopes.data[s].labels, u->name);
        if (!found)
            return ptx_wrong(parser, u->line, "label '%s' is not there", u->name);
        u->operand->index = (uint32_t)*found;
    }
    return true;
}
