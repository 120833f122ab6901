/* SPDX-License-Identifier: MIT
 * Variables and their initial values. */
#include "ptx/parser.h"

#include <string.h>

bool ptx_parse_type(struct ptx_parser *parser, enum ptx_type *type) {
    const struct ptx_word *w = &parser->words.word;
    *type = w->kind == PTX_WORD_NAME && w->text[0] == '.' ? ptx_type_find(w->text + 1, w->n - 1)
                                                          : PTX_NO_TYPE;
    if (*type == PTX_NO_TYPE)
        return ptx_wrong(parser, 0, "%.*s is no type that is there", (int)w->n, w->text);
    ptx_words_next(&parser->words);
    return true;
}

static bool is_power(uint64_t number) {
    return number && !(number & (number - 1));
}

static bool parse_align(struct ptx_parser *parser, uint32_t *align) {
    uint64_t number;
    if (!ptx_accept(parser, ".align"))
        return true;
    if (!ptx_take_count(parser, &number))
        return false;
    if (!is_power(number) || number > 4096)
        return ptx_wrong(parser, 0, "an alignment is a power of 2 up to 4096");
    *align = (uint32_t)number;
    return true;
}

/* .ptr .global .align 4: what a parameter points to. */
static bool parse_pointer(struct ptx_parser *parser) {
    uint32_t ignored;
    if (!ptx_accept(parser, ".ptr"))
        return true;
    if (parser->words.word.kind == PTX_WORD_NAME && parser->words.word.text[0] == '.' &&
        ptx_space_find(parser->words.word.text + 1, parser->words.word.n - 1) != PTX_GENERIC)
        ptx_words_next(&parser->words);
    return parse_align(parser, &ignored);
}

/* [4][2], [] */
static bool parse_extents(struct ptx_parser *parser, struct ptx_variable *v) {
    v->count = 1;
    for (; ptx_accept(parser, "["); v->array = true) {
        uint64_t extent = 0;
        if (!ptx_is(parser, "]") && !ptx_take_count(parser, &extent))
            return false;
        if (!ptx_expect(parser, "]"))
            return false;
        if (extent > PTX_MAX_BYTES || v->count > PTX_MAX_BYTES / (extent ? extent : 1))
            return ptx_wrong(parser, 0, "'%s' is too large", v->name);
        v->count *= extent;
    }
    v->bytes = v->count * v->vector * ptx_type_bytes(v->type);
    return v->bytes <= PTX_MAX_BYTES || ptx_wrong(parser, 0, "'%s' is too large", v->name);
}

/* ---- initial values ---- */

struct initials {
    VEC(struct ptx_initial) list;
};

static bool parse_address(struct ptx_parser *parser, struct ptx_initial *out) {
    enum ptx_name_kind kind;
    const char *name;
    if (!ptx_take_name(parser, &name))
        return false;
    if (!ptx_name_find(parser, name, &kind, &out->variable))
        return ptx_wrong(parser, 0, "'%s' is not declared", name);
    if (kind == PTX_NAME_FUNCTION)
        return ptx_wrong(parser, 0,
                         "the address of function '%s' is no value: indirect calls are not there",
                         name);
    if (kind != PTX_NAME_VARIABLE)
        return ptx_wrong(parser, 0, "the address of '%s' is no value", name);
    return true;
}

static bool parse_initial(struct ptx_parser *parser, struct ptx_initial *out) {
    struct ptx_operand number = {.number = 0};
    *out = (struct ptx_initial){.variable = PTX_NONE};
    if (ptx_accept(parser, "generic")) {
        out->generic = true;
        if (!ptx_expect(parser, "(") || !parse_address(parser, out) || !ptx_expect(parser, ")"))
            return false;
    } else if (parser->words.word.kind == PTX_WORD_NAME) {
        if (!parse_address(parser, out))
            return false;
    } else {
        if (!ptx_parse_number(parser, &number))
            return false;
        out->number = number.number;
        out->number_kind = number.number_kind;
        return true;
    }
    if (!ptx_accept(parser, "+"))
        return true;
    if (!ptx_parse_number(parser, &number) || number.number_kind != PTX_INTEGER)
        return ptx_wrong(parser, 0, "what is added to an address is a whole number");
    out->number = number.number;
    return true;
}

static bool parse_list(struct ptx_parser *parser, const struct ptx_variable *v,
                       struct initials *all) {
    struct ptx_initial one;
    do {
        if (ptx_is(parser, "}") && !all->list.len)
            break;
        if (!parse_initial(parser, &one))
            return false;
        if (all->list.len == v->count * v->vector && v->count)
            return ptx_wrong(parser, 0, "'%s' has more values than elements", v->name);
        vec_push(&all->list, one);
    } while (ptx_accept(parser, ","));
    return ptx_expect(parser, "}");
}

/* An address is as wide as addresses are. */
static bool are_fine(struct ptx_parser *parser, const struct ptx_variable *v,
                     const struct initials *all) {
    for (size_t i = 0; i < all->list.len; i++)
        if (all->list.data[i].variable != PTX_NONE && ptx_type_bits(v->type) != 64)
            return ptx_wrong(parser, v->line, "an address of '%s' has %u bits, and 64 are needed",
                             v->name, ptx_type_bits(v->type));
    return true;
}

static bool parse_values(struct ptx_parser *parser, struct ptx_variable *v) {
    struct initials all = {{0}};
    struct ptx_initial one;
    if (!ptx_accept(parser, "="))
        return true;
    if (v->space != PTX_GLOBAL && v->space != PTX_CONST)
        return ptx_wrong(parser, 0, "'%s' lies where nothing has an initial value", v->name);
    bool fine = ptx_accept(parser, "{") ? parse_list(parser, v, &all) : parse_initial(parser, &one);
    if (fine && !all.list.len && !v->array)
        vec_push(&all.list, one);
    fine = fine && are_fine(parser, v, &all);
    if (fine && all.list.len) {
        struct ptx_initial *kept =
            ARENA_ARRAY(&parser->module->arena, all.list.len, struct ptx_initial);
        memcpy(kept, all.list.data, all.list.len * sizeof *kept);
        v->initial = kept;
        v->initial_count = (uint32_t)all.list.len;
        if (v->array && !v->count) {
            v->count = all.list.len;
            v->bytes = v->count * v->vector * ptx_type_bytes(v->type);
        }
    }
    vec_free(&all.list);
    return fine;
}

/* ---- variables ---- */

static bool parse_head(struct ptx_parser *parser, struct ptx_variable *v) {
    v->vector = 1;
    if (!parse_align(parser, &v->align))
        return false;
    if (ptx_is(parser, ".v2") || ptx_is(parser, ".v4")) {
        v->vector = parser->words.word.text[2] == '2' ? 2 : 4;
        ptx_words_next(&parser->words);
    }
    if (ptx_is(parser, ".texref") || ptx_is(parser, ".samplerref") || ptx_is(parser, ".surfref"))
        return ptx_wrong(parser, 0, "textures and surfaces are not there");
    if (!ptx_parse_type(parser, &v->type) || !parse_align(parser, &v->align) ||
        !parse_pointer(parser))
        return false;
    if (v->type == PTX_PRED && !v->is_register)
        return ptx_wrong(parser, 0, "predicates are registers");
    if (!v->align)
        v->align = ptx_type_bytes(v->type) * v->vector;
    return true;
}

static bool add(struct ptx_parser *parser, const struct ptx_variable *v, uint32_t *index) {
    vec_push(&parser->module->variables, *v);
    *index = (uint32_t)parser->module->variables.len - 1;
    return ptx_name_add(parser, v->name, PTX_NAME_VARIABLE, *index, v->line);
}

bool ptx_parse_variable(struct ptx_parser *parser, enum ptx_space space, unsigned linkage,
                        uint32_t *index) {
    struct ptx_variable v = {.space = space,
                             .linkage = linkage,
                             .function = parser->function ? parser->function_index : PTX_NONE,
                             .is_register = space == PTX_REG_SPACE};
    if (!parse_head(parser, &v))
        return false;
    bool more = false;
    do {
        v.line = parser->words.word.line;
        v.initial = NULL;
        v.initial_count = 0;
        v.array = false;
        if (!ptx_take_name(parser, &v.name) || !parse_extents(parser, &v) ||
            !parse_values(parser, &v) || !add(parser, &v, index))
            return false;
        /* parameters are declared one by one */
        more = space != PTX_PARAM && space != PTX_REG_SPACE && ptx_accept(parser, ",");
    } while (more);
    return true;
}
