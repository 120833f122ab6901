/* SPDX-License-Identifier: MIT
 * Declarations: sizes, groups, variables, initial data, entries, geometry, debug records. */
#include "asm/assembler.h"

#include <stdlib.h>
#include <string.h>

/* Index of the first declaration of a name, or NULL if this is the first.  A second declaration
 * must not enter the table: it would take the name away from the first. */
static const uint64_t *declared(struct assembler *a, const struct map *table,
                                const struct asm_token *name) {
    return map_get_n(table, asm_token_text(a, name), token_length(name));
}

static void report_twice(struct assembler *a, const char *what, const struct asm_token *name,
                         struct place first) {
    asm_error_token(a, name, "%s '%.*s' is declared twice", what, (int)token_length(name),
                    asm_token_text(a, name));
    diag_note(a->d, object_span(a->o, first, a->d), "first declared here");
}

static const char *text_of(struct assembler *a, const struct asm_token *t) {
    return asm_keep(a, asm_token_text(a, t), token_length(t));
}

/* A wrong bound is reported once: it leaves *most as it is and counts as none. */
static uint64_t parse_bound(struct assembler *a, wide *most) {
    wide bound;
    if (!asm_parse_number_in(a, "the bound", 1, *most, &bound))
        return 0;
    *most = bound;
    return (uint64_t)bound;
}

/* A default, or the formula of a derived size.  A wrong one is reported once. */
static void parse_size_value(struct assembler *a, wide most, struct size_decl *s) {
    struct asm_token first = a->token;
    struct asm_value v;
    if (!asm_parse_formula(a, &v) || (v.kind == VALUE_LABEL && !asm_label_number(a, &first, &v)))
        return;
    first.end = a->previous_end;
    if (v.kind == VALUE_ELEMENT) {
        asm_error_token(a, &first, "only LI and LIK1 to LIK5 take a link-time value");
        return;
    }
    if (v.kind == VALUE_NUMBER) {
        s->has_default = true;
        s->value = v.number < 1 || v.number > most ? 1 : (uint64_t)v.number;
        if (v.number < 1 || v.number > most)
            asm_report_out_of_range(a, &first, "the default", v.number, 1, most);
        return;
    }
    if (s->bound)
        asm_error_token(a, &first, "a derived size has the bound that follows from its formula");
    else
        asm_size_formula(a, &first, &v, s);
}

void asm_declare_size(struct assembler *a) {
    struct asm_token name;
    wide most = (wide)OBJECT_MAX_EXTENT;
    if (!asm_take_name(a, "size", &name))
        return;
    const uint64_t *first = declared(a, &a->size_names, &name);
    if (first) {
        report_twice(a, "size", &name, a->o->sizes.data[*first].place);
        return;
    }
    struct size_decl s = {.name = text_of(a, &name), .place = asm_place(a, name.begin)};
    if (asm_take_operator(a, OP2('<', '=')))
        s.bound = parse_bound(a, &most);
    if (asm_take_operator(a, '=') || a->token.kind != TOKEN_END)
        parse_size_value(a, most, &s);
    map_put(&a->size_names, s.name, a->o->sizes.len);
    builder_size(a->b, &s);
}

static bool parse_extents(struct assembler *a, struct group *g) {
    uint64_t elements = 1;
    struct asm_token open = a->token;
    if (!asm_expect_char(a, '['))
        return false;
    do {
        if (g->ndim == GROUP_MAX_DIMS) {
            asm_error_token(a, &a->token, "a group has at most %d dimensions", GROUP_MAX_DIMS);
            return false;
        }
        struct extent *e = &g->extent[g->ndim++];
        if (!asm_parse_extent(a, e))
            return false;
        uint64_t n = e->size == NO_INDEX ? e->value : 1;
        if (elements > OBJECT_MAX_EXTENT / n) {
            asm_error(a, open.begin, a->previous_end, "a group has at most 2^40 elements");
            return false;
        }
        elements *= n;
    } while (asm_take_operator(a, ','));
    return asm_expect_char(a, ']');
}

/* "RFH1.VRF2", one name to the scanner. */
static bool parse_fixed_place(struct assembler *a, struct group *g) {
    struct asm_token at = a->token;
    char *text = at.kind == TOKEN_NAME ? xstrndup(asm_token_text(a, &at), token_length(&at)) : NULL;
    unsigned rfh, vrf;
    int used = 0;
    for (char *c = text; c && *c; c++)
        *c = (char)(*c >= 'A' && *c <= 'Z' ? *c | 0x20 : *c);
    bool ok = text && strlen(text) < 16 &&
              sscanf(text, "rfh%4u.vrf%2u%n", &rfh, &vrf, &used) == 2 &&
              (size_t)used == strlen(text) && rfh <= 4095 && vrf <= 63;
    free(text);
    if (!ok) {
        asm_error_token(a, &at,
                        "a place is written RFH1.VRF2, with RFH0 to RFH4095 and VRF0 to "
                        "VRF63");
        return false;
    }
    g->at_rfh = rfh;
    g->at_vrf = vrf;
    asm_scan(a);
    return true;
}

/* "per mpu". */
static bool parse_per_mpu(struct assembler *a, struct group *g) {
    if (!asm_at_name(a, "per"))
        return true;
    asm_scan(a);
    g->per_mpu = asm_at_name(a, "mpu") || asm_at_name(a, "MPU");
    if (g->per_mpu)
        asm_scan(a);
    else
        asm_error_token(a, &a->token, "expected 'mpu' behind 'per'");
    return g->per_mpu;
}

static bool parse_like(struct assembler *a, struct group *g) {
    struct asm_token name = a->token;
    bool per_mpu = g->per_mpu;
    if (!asm_parse_group_name(a, &g->like))
        return false;
    g->per_mpu = a->o->groups.data[g->like].per_mpu;
    if (!per_mpu || g->per_mpu)
        return true;
    asm_error_token(a, &name, "group '%s' is not per MPU", a->o->groups.data[g->like].name);
    return false;
}

static bool parse_group_place(struct assembler *a, struct group *g) {
    if (!parse_per_mpu(a, g))
        return false;
    if (asm_at_name(a, "like")) {
        asm_scan(a);
        return parse_like(a, g);
    }
    if (asm_at_name(a, "at")) {
        asm_scan(a);
        return parse_fixed_place(a, g);
    }
    return true;
}

void asm_declare_group(struct assembler *a) {
    struct asm_token name;
    struct group g = {.like = NO_INDEX, .at_rfh = NO_INDEX, .at_vrf = NO_INDEX};
    if (!asm_take_name(a, "group", &name))
        return;
    g.name = text_of(a, &name);
    g.place = asm_place(a, name.begin);
    if (!parse_extents(a, &g) || !parse_group_place(a, &g))
        return;
    const uint64_t *first = declared(a, &a->group_names, &name);
    if (first) {
        report_twice(a, "group", &name, a->o->groups.data[*first].place);
        return;
    }
    map_put(&a->group_names, g.name, a->o->groups.len);
    builder_group(a->b, &g);
}

/* in, out, inout or local; nothing is local. */
static uint8_t take_direction(struct assembler *a) {
    static const struct {
        const char *name;
        uint8_t direction;
    } words[] = {{"in", VAR_IN}, {"out", VAR_OUT}, {"inout", VAR_IN | VAR_OUT}, {"local", 0}};
    for (size_t i = 0; i < 4; i++)
        if (asm_at_name(a, words[i].name) && asm_scan_peek(a) != ':') {
            asm_scan(a);
            return words[i].direction;
        }
    return VAR_LOCAL;
}

/* `consumed` behind the direction; false after reporting that it goes with `in` alone. */
static bool take_consumed(struct assembler *a, uint8_t *direction) {
    if (!asm_at_name(a, "consumed") || asm_scan_peek(a) == ':')
        return true;
    if (*direction != VAR_IN) {
        asm_error_token(a, &a->token, "only an input is consumed: .var in consumed x: ...");
        return false;
    }
    *direction |= VAR_CONSUMED;
    asm_scan(a);
    return true;
}

/* "[k]" behind a type. */
static bool parse_k(struct assembler *a, struct variable *v) {
    wide k;
    v->count = 1;
    if (!asm_take_operator(a, '['))
        return true;
    if (!asm_parse_number_in(a, "the number of registers", 1, 64, &k))
        return false;
    v->has_k = true;
    v->count = (uint32_t)k;
    return asm_expect_char(a, ']');
}

static bool parse_variable_rest(struct assembler *a, struct variable *v) {
    if (!asm_expect_char(a, ':') || !asm_parse_type(a, &v->type) || !parse_k(a, v))
        return false;
    if (asm_take_operator(a, '@') && !asm_parse_group_name(a, &v->group))
        return false;
    asm_take_operator(a, '=');
    struct asm_token reg = a->token;
    if (!asm_parse_register(a, &v->reg))
        return false;
    if (v->reg + v->count <= 64)
        return true;
    asm_error_token(a, &reg, "%u registers from r%u on go beyond r63", (unsigned)v->count,
                    (unsigned)v->reg);
    return false;
}

void asm_declare_variable(struct assembler *a) {
    struct variable v = {.direction = take_direction(a), .group = NO_INDEX};
    struct asm_token name;
    if (!take_consumed(a, &v.direction) || !asm_take_name(a, "variable", &name))
        return;
    v.name = text_of(a, &name);
    v.place = asm_place(a, name.begin);
    if (!parse_variable_rest(a, &v) || !asm_parse_form(a, &name, &v))
        return;
    const uint64_t *first = declared(a, &a->variable_names, &name);
    if (first) {
        report_twice(a, "variable", &name, a->o->vars.data[*first].place);
        return;
    }
    if (map_get(&a->value_names, v.name)) {
        asm_error_token(a, &name, "value '%s' is declared with this name", v.name);
        return;
    }
    map_put(&a->variable_names, v.name, a->o->vars.len);
    builder_variable(a->b, &v);
}

/* The values of a variable so far; several .data lines of one variable follow one another. */
static struct variable_data *data_of(struct assembler *a, uint32_t variable,
                                     const struct asm_token *at) {
    struct variable_data d = {.variable = variable, .at = asm_kept_span(a, at->begin, at->end)};
    while (a->data_index.len <= variable)
        vec_push(&a->data_index, NO_INDEX);
    if (a->data_index.data[variable] == NO_INDEX) {
        a->data_index.data[variable] = (uint32_t)a->data.len;
        vec_push(&a->data, d);
    }
    return &a->data.data[a->data_index.data[variable]];
}

static bool push_values(struct assembler *a, struct variable_data *d, wide count, wide value) {
    if (count > (wide)(MAX_DATA - a->data_values)) {
        asm_error_token(a, &a->token, "a program has at most 2^24 values of .data");
        return false;
    }
    a->data_values += (size_t)count;
    for (wide i = 0; i < count; i++)
        vec_push(&d->values, (uint64_t)value);
    return true;
}

void asm_declare_length(struct assembler *a) {
    struct asm_token name, length_name;
    uint32_t variable, length;
    if (!asm_take_variable_name(a, &name, &variable))
        return;
    asm_take_operator(a, '=');
    if (!asm_take_variable_name(a, &length_name, &length))
        return;
    const char *problem = object_length_problem(a->o, variable, length);
    if (!problem && object_length_of(a->o, variable) != NO_INDEX)
        problem = "has a length already";
    if (problem)
        asm_error_token(a, &name, "'%.*s' %s", (int)token_length(&name), asm_token_text(a, &name),
                        problem);
    else
        builder_length(a->b, variable, length);
}

/* "[0]"; false after reporting. */
static bool take_dimension(struct assembler *a, uint32_t *dimension) {
    wide value;
    if (!asm_expect_char(a, '[') ||
        !asm_parse_number_in(a, "the dimension", 0, FORM_MAX_DIMS - 1, &value) ||
        !asm_expect_char(a, ']'))
        return false;
    *dimension = (uint32_t)value;
    return true;
}

void asm_declare_constant(struct assembler *a) {
    struct asm_token name, constant;
    struct constant_record r = {0};
    if (!asm_take_name(a, "the name of a variable or a value", &name) ||
        !take_dimension(a, &r.dimension) || !asm_expect_char(a, '=') ||
        !asm_take_name(a, "the name of a constant of the source", &constant))
        return;
    r.array = asm_keep(a, asm_token_text(a, &name), token_length(&name));
    r.constant = asm_keep(a, asm_token_text(a, &constant), token_length(&constant));
    if (object_constant_number(a->o, &r) == UINT64_MAX)
        asm_error_token(a, &name, "there is no variable or value '%s'", r.array);
    else if (object_constant_of(a->o, r.array, r.dimension))
        asm_error_token(a, &name, "dimension %u of '%s' has a constant already",
                        (unsigned)r.dimension, r.array);
    else
        object_add_constant(a->o, r.array, r.dimension, r.constant);
}

void asm_declare_data(struct assembler *a) {
    struct asm_token name;
    uint32_t variable;
    if (!asm_take_variable_name(a, &name, &variable))
        return;
    asm_take_operator(a, '=');
    struct variable_data *d = data_of(a, variable, &name);
    do {
        wide count, value;
        d->wrong |= !asm_parse_typed(a, a->o->vars.data[variable].type, &count, &value) ||
                    !push_values(a, d, count, value);
    } while (!d->wrong && asm_take_operator(a, ','));
}

static int compare_data(const void *x, const void *y) {
    const struct variable_data *a = x, *b = y;
    return (a->variable > b->variable) - (a->variable < b->variable);
}

void asm_finish_data(struct assembler *a) {
    if (a->data.len)
        qsort(a->data.data, a->data.len, sizeof *a->data.data, compare_data);
    for (size_t i = 0; i < a->data.len; i++) {
        const struct variable_data *d = &a->data.data[i];
        const struct variable *v = &a->o->vars.data[d->variable];
        struct data_record r = {d->variable, d->values.len, d->values.data};
        uint64_t elements = object_elements(a->o, v);
        if (d->wrong)
            continue;
        if (elements ? r.count != elements : r.count % v->count != 0 || !r.count)
            diag_error(a->d, d->at, "variable '%s' has %llu values of .data but %llu elements",
                       v->name, (unsigned long long)r.count, (unsigned long long)elements);
        else
            builder_data(a->b, &r);
    }
}

void asm_declare_entry(struct assembler *a) {
    wide first, last;
    struct asm_token at = a->token, name;
    uint32_t label = NO_INDEX;
    if (!asm_parse_number_in(a, "the MPU", 0, OBJECT_MAX_MPUS - 1, &first))
        return;
    last = first;
    if (asm_take_operator(a, OP2('.', '.')) &&
        !asm_parse_number_in(a, "the last MPU", first, OBJECT_MAX_MPUS - 1, &last))
        return;
    asm_take_operator(a, ',');
    if (first < (wide)a->next_mpu) {
        asm_error_token(a, &at,
                        ".mpu lines name MPUs in ascending order, each once; the next may "
                        "be %llu",
                        (unsigned long long)a->next_mpu);
        return;
    }
    if (a->token.kind != TOKEN_END) {
        if (!asm_take_name(a, "the label at which these MPUs start", &name))
            return;
        asm_tell_builder(a, name.begin, name.end);
        label =
            builder_label(a->b, asm_label_name(a, asm_token_text(a, &name), token_length(&name)));
    }
    a->next_mpu = (uint64_t)last + 1;
    builder_entry(a->b, (uint32_t)first, (uint32_t)(last - first) + 1, label);
}

/* [16], or [4, 6]: rows and columns. */
static bool parse_grid(struct assembler *a, struct geometry *g) {
    struct asm_token open = a->token;
    uint64_t mpus = 1;
    wide extent;
    *g = (struct geometry){.lanes = g->lanes, .vrfs = g->vrfs, .rfhs = g->rfhs};
    if (!asm_expect_char(a, '['))
        return false;
    do {
        if (g->grid_dims == GRID_MAX_DIMS) {
            asm_error_token(a, &a->token, "a grid of MPUs has at most %d dimensions",
                            GRID_MAX_DIMS);
            return false;
        }
        if (!asm_parse_number_in(a, "the extent of the grid", 1, OBJECT_MAX_MPUS, &extent))
            return false;
        g->grid[g->grid_dims++] = (uint32_t)extent;
        mpus *= (uint64_t)extent;
    } while (asm_take_operator(a, ','));
    if (mpus > OBJECT_MAX_MPUS) {
        asm_error(a, open.begin, a->previous_end, "a grid has at most 2^22 MPUs");
        return false;
    }
    return asm_expect_char(a, ']');
}

static bool parse_geometry_key(struct assembler *a) {
    struct geometry *g = &a->o->geometry;
    const struct {
        const char *name;
        uint32_t most, *place;
    } keys[] = {{"lanes", OBJECT_MAX_LANES, &g->lanes},
                {"vrfs", 64, &g->vrfs},
                {"rfhs", 4096, &g->rfhs},
                {"grid", 0, NULL}};
    wide value;
    size_t k = 0;
    while (k < 4 && !asm_at_name(a, keys[k].name))
        k++;
    if (k == 4) {
        asm_error_token(a, &a->token, "expected lanes=, vrfs=, rfhs= or grid=");
        return false;
    }
    asm_scan(a);
    if (!asm_expect_char(a, '='))
        return false;
    if (!keys[k].place)
        return parse_grid(a, g);
    if (!asm_parse_number_in(a, keys[k].name, 1, keys[k].most, &value))
        return false;
    *keys[k].place = (uint32_t)value;
    return true;
}

void asm_declare_geometry(struct assembler *a) {
    do {
        if (!parse_geometry_key(a))
            return;
        asm_take_operator(a, ',');
    } while (a->token.kind != TOKEN_END);
}

void asm_declare_record(struct assembler *a, enum debug_kind kind) {
    struct debug_record r = {.kind = kind};
    if (!asm_take_text(a, "the text", &r.text))
        return;
    asm_take_operator(a, ',');
    if (kind == DEBUG_PRINT &&
        (!asm_parse_register(a, &r.reg) || !asm_expect_char(a, ':') || !asm_parse_type(a, &r.type)))
        return;
    builder_debug(a->b, &r);
}
