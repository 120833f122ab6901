/* SPDX-License-Identifier: MIT
 * Declarations: sizes, groups, variables, initial data, entries, geometry, debug records. */
#include "asm/assembler.h"

#include <stdlib.h>
#include <string.h>

/* Index of the first declaration of a name, or NULL if this is the first.  A second declaration
 * must not enter the table: it would take the name away from the first. */
static const uint64_t *declared(struct assembler *assembler, const struct map *table,
                                const struct asm_token *name) {
    return map_get_n(table, asm_token_text(assembler, name), token_length(name));
}

static void report_twice(struct assembler *assembler, const char *what,
                         const struct asm_token *name, struct place first) {
    asm_error_token(assembler, name, "%s '%.*s' is declared twice", what, (int)token_length(name),
                    asm_token_text(assembler, name));
    diag_note(assembler->d, object_span(assembler->o, first, assembler->d), "first declared here");
}

static const char *text_of(struct assembler *assembler, const struct asm_token *token) {
    return asm_keep(assembler, asm_token_text(assembler, token), token_length(token));
}

/* A wrong bound is reported once: it leaves *most as it is and counts as none. */
static uint64_t parse_bound(struct assembler *assembler, wide *most) {
    wide bound;
    if (!asm_parse_number_in(assembler, "the bound", 1, *most, &bound))
        return 0;
    *most = bound;
    return (uint64_t)bound;
}

/* A default, or the formula of a derived size.  A wrong one is reported once. */
static void parse_size_value(struct assembler *assembler, wide most, struct size_decl *decl) {
    struct asm_token first = assembler->token;
    struct asm_value v;
    if (!asm_parse_formula(assembler, &v) ||
        (v.kind == VALUE_LABEL && !asm_label_number(assembler, &v)))
        return;
    first.end = assembler->previous_end;
    if (v.kind == VALUE_ELEMENT) {
        asm_error_token(assembler, &first, "only LI, LIK1 to LIK5 and .lut take a link-time value");
        return;
    }
    if (v.kind == VALUE_NUMBER) {
        decl->has_default = true;
        decl->value = v.number < 1 || v.number > most ? 1 : (uint64_t)v.number;
        if (v.number < 1 || v.number > most)
            asm_report_out_of_range(assembler, &first, "the default", v.number, 1, most);
        return;
    }
    if (decl->bound)
        asm_error_token(assembler, &first,
                        "a derived size has the bound that follows from its formula");
    else
        asm_size_formula(assembler, &first, &v, decl);
}

void asm_declare_size(struct assembler *assembler) {
    struct asm_token name;
    wide most = (wide)OBJECT_MAX_EXTENT;
    if (!asm_take_name(assembler, "size", &name))
        return;
    const uint64_t *first = declared(assembler, &assembler->size_names, &name);
    if (first) {
        report_twice(assembler, "size", &name, assembler->o->sizes.data[*first].place);
        return;
    }
    struct size_decl s = {.name = text_of(assembler, &name),
                          .place = asm_place(assembler, name.begin)};
    if (asm_take_operator(assembler, OP2('<', '=')))
        s.bound = parse_bound(assembler, &most);
    if (asm_take_operator(assembler, '=') || assembler->token.kind != TOKEN_END)
        parse_size_value(assembler, most, &s);
    map_put(&assembler->size_names, s.name, assembler->o->sizes.len);
    builder_size(assembler->b, &s);
}

static bool parse_extents(struct assembler *assembler, struct group *group) {
    uint64_t elements = 1;
    struct asm_token open = assembler->token;
    if (!asm_expect_char(assembler, '['))
        return false;
    do {
        if (group->ndim == GROUP_MAX_DIMS) {
            asm_error_token(assembler, &assembler->token, "a group has at most %d dimensions",
                            GROUP_MAX_DIMS);
            return false;
        }
        struct extent *e = &group->extent[group->ndim++];
        if (!asm_parse_extent(assembler, e))
            return false;
        uint64_t n = e->size == NO_INDEX ? e->value : 1;
        if (elements > OBJECT_MAX_EXTENT / n) {
            asm_error(assembler, open.begin, assembler->previous_end,
                      "a group has at most 2^40 elements");
            return false;
        }
        elements *= n;
    } while (asm_take_operator(assembler, ','));
    return asm_expect_char(assembler, ']');
}

/* "RFH1.VRF2", one name to the scanner. */
static bool parse_fixed_place(struct assembler *assembler, struct group *group) {
    struct asm_token at = assembler->token;
    char *text =
        at.kind == TOKEN_NAME ? xstrndup(asm_token_text(assembler, &at), token_length(&at)) : NULL;
    unsigned rfh, vrf;
    int used = 0;
    for (char *c = text; c && *c; c++)
        *c = (char)(*c >= 'A' && *c <= 'Z' ? *c | 0x20 : *c);
    bool ok = text && strlen(text) < 16 &&
              sscanf(text, "rfh%4u.vrf%2u%n", &rfh, &vrf, &used) == 2 &&
              (size_t)used == strlen(text) && rfh <= 4095 && vrf <= 63;
    free(text);
    if (!ok) {
        asm_error_token(assembler, &at,
                        "a place is written RFH1.VRF2, with RFH0 to RFH4095 and VRF0 to "
                        "VRF63");
        return false;
    }
    group->at_rfh = rfh;
    group->at_vrf = vrf;
    asm_scan(assembler);
    return true;
}

/* "per mpu". */
static bool parse_per_mpu(struct assembler *assembler, struct group *group) {
    if (!asm_at_name(assembler, "per"))
        return true;
    asm_scan(assembler);
    group->per_mpu = asm_at_name(assembler, "mpu") || asm_at_name(assembler, "MPU");
    if (group->per_mpu)
        asm_scan(assembler);
    else
        asm_error_token(assembler, &assembler->token, "expected 'mpu' behind 'per'");
    return group->per_mpu;
}

static bool parse_like(struct assembler *assembler, struct group *group) {
    struct asm_token name = assembler->token;
    bool per_mpu = group->per_mpu;
    if (!asm_parse_group_name(assembler, &group->like))
        return false;
    group->per_mpu = assembler->o->groups.data[group->like].per_mpu;
    if (!per_mpu || group->per_mpu)
        return true;
    asm_error_token(assembler, &name, "group '%s' is not per MPU",
                    assembler->o->groups.data[group->like].name);
    return false;
}

static bool parse_group_place(struct assembler *assembler, struct group *group) {
    if (!parse_per_mpu(assembler, group))
        return false;
    if (asm_at_name(assembler, "like")) {
        asm_scan(assembler);
        return parse_like(assembler, group);
    }
    if (asm_at_name(assembler, "at")) {
        asm_scan(assembler);
        return parse_fixed_place(assembler, group);
    }
    return true;
}

void asm_declare_group(struct assembler *assembler) {
    struct asm_token name;
    struct group g = {.like = NO_INDEX, .at_rfh = NO_INDEX, .at_vrf = NO_INDEX};
    if (!asm_take_name(assembler, "group", &name))
        return;
    g.name = text_of(assembler, &name);
    g.place = asm_place(assembler, name.begin);
    if (!parse_extents(assembler, &g) || !parse_group_place(assembler, &g))
        return;
    const uint64_t *first = declared(assembler, &assembler->group_names, &name);
    if (first) {
        report_twice(assembler, "group", &name, assembler->o->groups.data[*first].place);
        return;
    }
    map_put(&assembler->group_names, g.name, assembler->o->groups.len);
    builder_group(assembler->b, &g);
}

uint8_t asm_take_direction(struct assembler *assembler) {
    static const struct {
        const char *name;
        uint8_t direction;
    } words[] = {{"in", VAR_IN}, {"out", VAR_OUT}, {"inout", VAR_IN | VAR_OUT}, {"local", 0}};
    for (size_t i = 0; i < 4; i++)
        if (asm_at_name(assembler, words[i].name) && asm_scan_peek(assembler) != ':') {
            asm_scan(assembler);
            return words[i].direction;
        }
    return VAR_LOCAL;
}

/* `consumed` behind the direction; false after reporting that it goes with `in` alone. */
static bool take_consumed(struct assembler *assembler, uint8_t *direction) {
    if (!asm_at_name(assembler, "consumed") || asm_scan_peek(assembler) == ':')
        return true;
    if (*direction != VAR_IN) {
        asm_error_token(assembler, &assembler->token,
                        "only an input is consumed: .var in consumed x: ...");
        return false;
    }
    *direction |= VAR_CONSUMED;
    asm_scan(assembler);
    return true;
}

/* "[k]" behind a type. */
static bool parse_k(struct assembler *assembler, struct variable *variable) {
    wide k;
    variable->count = 1;
    if (!asm_take_operator(assembler, '['))
        return true;
    if (!asm_parse_number_in(assembler, "the number of registers", 1, 64, &k))
        return false;
    variable->has_k = true;
    variable->count = (uint32_t)k;
    return asm_expect_char(assembler, ']');
}

static bool parse_variable_rest(struct assembler *assembler, struct variable *variable) {
    if (!asm_expect_char(assembler, ':') || !asm_parse_type(assembler, &variable->type) ||
        !parse_k(assembler, variable))
        return false;
    if (asm_take_operator(assembler, '@') && !asm_parse_group_name(assembler, &variable->group))
        return false;
    asm_take_operator(assembler, '=');
    struct asm_token reg = assembler->token;
    if (!asm_parse_register(assembler, &variable->reg))
        return false;
    if (variable->reg + variable->count <= 64)
        return true;
    asm_error_token(assembler, &reg, "%u registers from r%u on go beyond r63",
                    (unsigned)variable->count, (unsigned)variable->reg);
    return false;
}

void asm_declare_variable(struct assembler *assembler) {
    struct variable v = {.direction = asm_take_direction(assembler), .group = NO_INDEX};
    struct asm_token name;
    if (!take_consumed(assembler, &v.direction) || !asm_take_name(assembler, "variable", &name))
        return;
    v.name = text_of(assembler, &name);
    v.place = asm_place(assembler, name.begin);
    if (!parse_variable_rest(assembler, &v) || !asm_parse_form(assembler, &name, &v))
        return;
    const uint64_t *first = declared(assembler, &assembler->variable_names, &name);
    if (first) {
        report_twice(assembler, "variable", &name, assembler->o->vars.data[*first].place);
        return;
    }
    if (map_get(&assembler->value_names, v.name)) {
        asm_error_token(assembler, &name, "value '%s' is declared with this name", v.name);
        return;
    }
    map_put(&assembler->variable_names, v.name, assembler->o->vars.len);
    builder_variable(assembler->b, &v);
}

/* The values of a variable so far; several .data lines of one variable follow one another. */
static struct variable_data *data_of(struct assembler *assembler, uint32_t variable,
                                     const struct asm_token *at) {
    struct variable_data d = {.variable = variable,
                              .at = asm_kept_span(assembler, at->begin, at->end)};
    while (assembler->data_index.len <= variable)
        vec_push(&assembler->data_index, NO_INDEX);
    if (assembler->data_index.data[variable] == NO_INDEX) {
        assembler->data_index.data[variable] = (uint32_t)assembler->data.len;
        vec_push(&assembler->data, d);
    }
    return &assembler->data.data[assembler->data_index.data[variable]];
}

static bool push_values(struct assembler *assembler, struct variable_data *data, wide count,
                        wide value) {
    if (count > (wide)(MAX_DATA - assembler->data_values)) {
        asm_error_token(assembler, &assembler->token, "a program has at most 2^24 values of .data");
        return false;
    }
    assembler->data_values += (size_t)count;
    for (wide i = 0; i < count; i++)
        vec_push(&data->values, (uint64_t)value);
    return true;
}

void asm_declare_length(struct assembler *assembler) {
    struct asm_token name, length_name;
    uint32_t variable, length;
    if (!asm_take_variable_name(assembler, &name, &variable))
        return;
    asm_take_operator(assembler, '=');
    if (!asm_take_variable_name(assembler, &length_name, &length))
        return;
    const char *problem = object_length_problem(assembler->o, variable, length);
    if (!problem && object_length_of(assembler->o, variable) != NO_INDEX)
        problem = "has a length already";
    if (problem)
        asm_error_token(assembler, &name, "'%.*s' %s", (int)token_length(&name),
                        asm_token_text(assembler, &name), problem);
    else
        builder_length(assembler->b, variable, length);
}

/* "[0]"; false after reporting. */
static bool take_dimension(struct assembler *assembler, uint32_t *dimension) {
    wide value;
    if (!asm_expect_char(assembler, '[') ||
        !asm_parse_number_in(assembler, "the dimension", 0, FORM_MAX_DIMS - 1, &value) ||
        !asm_expect_char(assembler, ']'))
        return false;
    *dimension = (uint32_t)value;
    return true;
}

void asm_declare_constant(struct assembler *assembler) {
    struct asm_token name, constant;
    struct constant_record r = {0};
    if (!asm_take_name(assembler, "the name of a variable or a value", &name) ||
        !take_dimension(assembler, &r.dimension) || !asm_expect_char(assembler, '=') ||
        !asm_take_name(assembler, "the name of a constant of the source", &constant))
        return;
    r.array = asm_keep(assembler, asm_token_text(assembler, &name), token_length(&name));
    r.constant = asm_keep(assembler, asm_token_text(assembler, &constant), token_length(&constant));
    if (object_constant_number(assembler->o, &r) == UINT64_MAX)
        asm_error_token(assembler, &name, "there is no variable or value '%s'", r.array);
    else if (object_constant_of(assembler->o, r.array, r.dimension))
        asm_error_token(assembler, &name, "dimension %u of '%s' has a constant already",
                        (unsigned)r.dimension, r.array);
    else
        object_add_constant(assembler->o, r.array, r.dimension, r.constant);
}

void asm_declare_data(struct assembler *assembler) {
    struct asm_token name;
    uint32_t variable;
    if (!asm_take_variable_name(assembler, &name, &variable))
        return;
    asm_take_operator(assembler, '=');
    struct variable_data *d = data_of(assembler, variable, &name);
    do {
        wide count, value;
        d->wrong |=
            !asm_parse_typed(assembler, assembler->o->vars.data[variable].type, &count, &value) ||
            !push_values(assembler, d, count, value);
    } while (!d->wrong && asm_take_operator(assembler, ','));
}

static int compare_data(const void *left, const void *right) {
    const struct variable_data *a = left, *b = right;
    return (a->variable > b->variable) - (a->variable < b->variable);
}

void asm_finish_data(struct assembler *assembler) {
    if (assembler->data.len)
        qsort(assembler->data.data, assembler->data.len, sizeof *assembler->data.data,
              compare_data);
    for (size_t i = 0; i < assembler->data.len; i++) {
        const struct variable_data *d = &assembler->data.data[i];
        const struct variable *v = &assembler->o->vars.data[d->variable];
        struct data_record r = {d->variable, d->values.len, d->values.data};
        uint64_t elements = object_elements(assembler->o, v);
        if (d->wrong)
            continue;
        if (elements ? r.count != elements : r.count % v->count != 0 || !r.count)
            diag_error(assembler->d, d->at,
                       "variable '%s' has %llu values of .data but %llu elements", v->name,
                       (unsigned long long)r.count, (unsigned long long)elements);
        else
            builder_data(assembler->b, &r);
    }
}

void asm_declare_entry(struct assembler *assembler) {
    wide first, last;
    struct asm_token at = assembler->token, name;
    uint32_t label = NO_INDEX;
    if (!asm_parse_number_in(assembler, "the MPU", 0, OBJECT_MAX_MPUS - 1, &first))
        return;
    last = first;
    if (asm_take_operator(assembler, OP2('.', '.')) &&
        !asm_parse_number_in(assembler, "the last MPU", first, OBJECT_MAX_MPUS - 1, &last))
        return;
    asm_take_operator(assembler, ',');
    if (first < (wide)assembler->next_mpu) {
        asm_error_token(assembler, &at,
                        ".mpu lines name MPUs in ascending order, each once; the next may "
                        "be %llu",
                        (unsigned long long)assembler->next_mpu);
        return;
    }
    if (assembler->token.kind != TOKEN_END) {
        if (!asm_take_name(assembler, "the label at which these MPUs start", &name))
            return;
        asm_tell_builder(assembler, name.begin, name.end);
        label =
            builder_label(assembler->b, asm_label_name(assembler, asm_token_text(assembler, &name),
                                                       token_length(&name)));
    }
    assembler->next_mpu = (uint64_t)last + 1;
    builder_entry(assembler->b, (uint32_t)first, (uint32_t)(last - first) + 1, label);
}

/* [16], or [4, 6]: rows and columns. */
static bool parse_grid(struct assembler *assembler, struct geometry *geometry) {
    struct asm_token open = assembler->token;
    uint64_t mpus = 1;
    wide extent;
    *geometry =
        (struct geometry){.lanes = geometry->lanes, .vrfs = geometry->vrfs, .rfhs = geometry->rfhs};
    if (!asm_expect_char(assembler, '['))
        return false;
    do {
        if (geometry->grid_dims == GRID_MAX_DIMS) {
            asm_error_token(assembler, &assembler->token,
                            "a grid of MPUs has at most %d dimensions", GRID_MAX_DIMS);
            return false;
        }
        if (!asm_parse_number_in(assembler, "the extent of the grid", 1, OBJECT_MAX_MPUS, &extent))
            return false;
        geometry->grid[geometry->grid_dims++] = (uint32_t)extent;
        mpus *= (uint64_t)extent;
    } while (asm_take_operator(assembler, ','));
    if (mpus > OBJECT_MAX_MPUS) {
        asm_error(assembler, open.begin, assembler->previous_end, "a grid has at most 2^22 MPUs");
        return false;
    }
    return asm_expect_char(assembler, ']');
}

static bool parse_geometry_key(struct assembler *assembler) {
    struct geometry *g = &assembler->o->geometry;
    const struct {
        const char *name;
        uint32_t most, *place;
    } keys[] = {{"lanes", OBJECT_MAX_LANES, &g->lanes},
                {"vrfs", 64, &g->vrfs},
                {"rfhs", 4096, &g->rfhs},
                {"grid", 0, NULL}};
    wide value;
    size_t k = 0;
    while (k < 4 && !asm_at_name(assembler, keys[k].name))
        k++;
    if (k == 4) {
        asm_error_token(assembler, &assembler->token, "expected lanes=, vrfs=, rfhs= or grid=");
        return false;
    }
    asm_scan(assembler);
    if (!asm_expect_char(assembler, '='))
        return false;
    if (!keys[k].place)
        return parse_grid(assembler, g);
    if (!asm_parse_number_in(assembler, keys[k].name, 1, keys[k].most, &value))
        return false;
    *keys[k].place = (uint32_t)value;
    return true;
}

void asm_declare_geometry(struct assembler *assembler) {
    do {
        if (!parse_geometry_key(assembler))
            return;
        asm_take_operator(assembler, ',');
    } while (assembler->token.kind != TOKEN_END);
}

void asm_declare_record(struct assembler *assembler, enum debug_kind kind) {
    struct debug_record r = {.kind = kind};
    if (!asm_take_text(assembler, "the text", &r.text))
        return;
    asm_take_operator(assembler, ',');
    if (object_debug_has_register(kind) &&
        (!asm_parse_register(assembler, &r.reg) || !asm_expect_char(assembler, ':') ||
         !asm_parse_type(assembler, &r.type)))
        return;
    builder_debug(assembler->b, &r);
}
