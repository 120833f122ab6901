/* SPDX-License-Identifier: MIT
 * Joining the tables and the text of the inputs. */
#include "linker/join/link.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static uint32_t *index_map(struct link *link, size_t count) {
    return ARENA_ARRAY(&link->arena, count, uint32_t);
}

static const char *copy_text(struct link *link, const char *text) {
    return text ? arena_strdup(&link->out->arena, text) : NULL;
}

void link_report_differs(struct link *link, const struct link_input *in, const char *what,
                         const char *name, struct place here, struct place before) {
    diag_error(link->d, object_span(link->out, link_place_out(in, here), link->d),
               "%s '%s' is declared differently in %s than before", what, name,
               link_input_name(in));
    diag_note(link->d, object_span(link->out, before, link->d),
              "the other declaration of '%s' is here", name);
}

static void merge_files(struct link *link, struct link_input *in) {
    in->files = index_map(link, in->o->files.len);
    for (size_t i = 0; i < in->o->files.len; i++)
        in->files[i] = object_file(link->out, in->o->files.data[i]);
}

static void grid_text(const struct geometry *geometry, char out[32]) {
    if (geometry->grid_dims == 2)
        snprintf(out, 32, "[%u, %u]", (unsigned)geometry->grid[0], (unsigned)geometry->grid[1]);
    else
        snprintf(out, 32, "[%u]", (unsigned)geometry->grid[0]);
}

static bool has_per_mpu(const struct object *object) {
    for (size_t i = 0; i < object->groups.len; i++)
        if (object->groups.data[i].per_mpu)
            return true;
    return false;
}

/* An input that says nothing of a grid, and has no group per MPU, goes with any. */
static void merge_grid(struct link *link, const struct link_input *in) {
    struct geometry *a = &link->out->geometry;
    const struct geometry *b = &in->o->geometry;
    char here[32], before[32];
    bool same = a->grid_dims == b->grid_dims && memcmp(a->grid, b->grid, sizeof a->grid) == 0;
    if (same || (b->grid_dims == 0 && !has_per_mpu(in->o)))
        return;
    if (a->grid_dims == 0 && !has_per_mpu(link->out)) {
        a->grid_dims = b->grid_dims;
        memcpy(a->grid, b->grid, sizeof a->grid);
        return;
    }
    grid_text(a, before);
    grid_text(b, here);
    diag_error(link->d, NO_SPAN, "%s has .geometry grid=%s, but the inputs before it grid=%s",
               link_input_name(in), b->grid_dims ? here : "none", a->grid_dims ? before : "none");
}

static void merge_geometry(struct link *link, const struct link_input *in) {
    const struct geometry *a = &link->inputs[0].o->geometry, *b = &in->o->geometry;
    merge_grid(link, in);
    if (a->lanes == b->lanes && a->vrfs == b->vrfs && a->rfhs == b->rfhs)
        return;
    diag_error(link->d, NO_SPAN,
               "%s has .geometry lanes=%u vrfs=%u rfhs=%u, but %s has lanes=%u vrfs=%u rfhs=%u",
               link_input_name(in), (unsigned)b->lanes, (unsigned)b->vrfs, (unsigned)b->rfhs,
               link_input_name(&link->inputs[0]), (unsigned)a->lanes, (unsigned)a->vrfs,
               (unsigned)a->rfhs);
}

uint32_t link_size_out(const struct link_input *in, uint32_t size) {
    return size == NO_INDEX ? NO_INDEX : in->sizes[size];
}

/* What a formula is made of stands before it, and is merged already. */
static void rebase_formula(const struct link_input *in, struct size_decl *decl) {
    if (decl->op == SIZE_GIVEN)
        return;
    decl->left.size = link_size_out(in, decl->left.size);
    decl->right.size = link_size_out(in, decl->right.size);
}

static void append_size(struct link *link, const struct link_input *in, struct map *known,
                        struct size_decl decl) {
    decl.name =
        map_get(known, decl.name) ? object_size_name(link->out) : copy_text(link, decl.name);
    map_put(known, decl.name, link->out->sizes.len);
    decl.place = link_place_out(in, decl.place);
    vec_push(&link->out->sizes, decl);
}

/* Parts of formulas that nobody named: one of an earlier input that is the same will do; else the
 * name has a number of its own.  False for all other sizes. */
static bool merge_unnamed(struct link *link, struct link_input *in, struct map *known,
                          const struct size_decl *decl, uint32_t index) {
    if (!object_size_is_unnamed(decl))
        return false;
    for (uint32_t k = 0; k < in->size_base; k++)
        if (object_size_same_formula(decl, &link->out->sizes.data[k])) {
            in->sizes[index] = k;
            return true;
        }
    in->sizes[index] = (uint32_t)link->out->sizes.len;
    append_size(link, in, known, *decl);
    return true;
}

static void merge_size(struct link *link, struct link_input *in, struct map *known,
                       uint32_t index) {
    struct size_decl s = in->o->sizes.data[index];
    rebase_formula(in, &s);
    if (merge_unnamed(link, in, known, &s, index))
        return;
    const uint64_t *at = map_get(known, s.name);
    in->sizes[index] = (uint32_t)(at ? *at : link->out->sizes.len);
    if (at) {
        const struct size_decl *old = &link->out->sizes.data[*at];
        if (s.has_default != old->has_default || (s.has_default && s.value != old->value) ||
            s.bound != old->bound || !object_size_same_formula(&s, old))
            link_report_differs(link, in, "size", s.name, s.place, old->place);
        return;
    }
    append_size(link, in, known, s);
}

static bool same_link_value(const struct value_decl *left, const struct value_decl *right) {
    size_t bytes = object_value_count(left) * sizeof *left->elements;
    return left->type.kind == right->type.kind && left->type.bits == right->type.bits &&
           left->ndim == right->ndim &&
           memcmp(left->shape, right->shape, sizeof left->shape) == 0 &&
           !left->elements == !right->elements &&
           (!left->elements || memcmp(left->elements, right->elements, bytes) == 0);
}

static void merge_link_value(struct link *link, struct link_input *in, struct map *known,
                             uint32_t index) {
    struct value_decl v = in->o->values.data[index];
    const uint64_t *at = map_get(known, v.name);
    in->values[index] = (uint32_t)(at ? *at : link->out->values.len);
    if (at) {
        const struct value_decl *old = &link->out->values.data[*at];
        if (!same_link_value(&v, old))
            link_report_differs(link, in, "value", v.name, v.place, old->place);
        return;
    }
    map_put(known, v.name, link->out->values.len);
    v.name = copy_text(link, v.name);
    v.place = link_place_out(in, v.place);
    if (v.elements) {
        uint64_t *elements = ARENA_ARRAY(&link->out->arena, object_value_count(&v), uint64_t);
        memcpy(elements, v.elements, object_value_count(&v) * sizeof *elements);
        v.elements = elements;
    }
    vec_push(&link->out->values, v);
}

/* One object has no variable and value of the same name, but two may. */
static void check_value_names(struct link *link) {
    for (size_t i = 0; i < link->out->values.len; i++) {
        const struct value_decl *v = &link->out->values.data[i];
        uint32_t variable = object_find_variable(link->out, v->name);
        if (variable == NO_INDEX)
            continue;
        diag_error(link->d, object_span(link->out, v->place, link->d),
                   "'%s' is a link-time value in one input and a variable in another", v->name);
        diag_note(link->d, object_span(link->out, link->out->vars.data[variable].place, link->d),
                  "the variable is declared here");
    }
}

static bool same_extent(const struct extent *left, const struct extent *right) {
    return left->size == right->size && (left->size != NO_INDEX || left->value == right->value);
}

static bool same_group(const struct group *left, const struct group *right) {
    if (left->ndim != right->ndim || left->per_mpu != right->per_mpu || left->like != right->like ||
        left->at_rfh != right->at_rfh || left->at_vrf != right->at_vrf)
        return false;
    for (uint32_t i = 0; i < left->ndim; i++)
        if (!same_extent(&left->extent[i], &right->extent[i]))
            return false;
    return true;
}

/* A group is like one before it, which is merged already. */
static struct group group_out(struct link *link, const struct link_input *in, uint32_t index) {
    struct group g = in->o->groups.data[index];
    for (uint32_t k = 0; k < g.ndim; k++)
        if (g.extent[k].size != NO_INDEX)
            g.extent[k].size = in->sizes[g.extent[k].size];
    if (g.like != NO_INDEX)
        g.like = in->groups[g.like];
    g.name = copy_text(link, g.name);
    g.place = link_place_out(in, g.place);
    return g;
}

static void merge_group(struct link *link, struct link_input *in, struct map *known,
                        uint32_t index) {
    struct group g = group_out(link, in, index);
    const uint64_t *at = map_get(known, g.name);
    in->groups[index] = (uint32_t)(at ? *at : link->out->groups.len);
    if (at) {
        if (!same_group(&g, &link->out->groups.data[*at]))
            link_report_differs(link, in, "group", g.name, in->o->groups.data[index].place,
                                link->out->groups.data[*at].place);
        return;
    }
    map_put(known, g.name, link->out->groups.len);
    vec_push(&link->out->groups, g);
}

static struct group_scope merge_scope(struct link *link, const struct link_input *in,
                                      const struct group_scope *scope) {
    uint32_t *groups = ARENA_ARRAY(&link->arena, scope->count, uint32_t);
    for (uint32_t i = 0; i < scope->count; i++)
        groups[i] = in->groups[scope->groups[i]];
    return object_scope_of(&link->out->arena, groups, scope->count);
}

static bool same_variable(const struct variable *left, const struct variable *right) {
    return left->direction == right->direction && left->type.kind == right->type.kind &&
           left->type.bits == right->type.bits && left->count == right->count &&
           left->has_k == right->has_k && left->group == right->group && left->reg == right->reg &&
           object_form_same(&left->form, &right->form) &&
           object_scope_same(&left->scope, &right->scope);
}

static void merge_variable(struct link *link, struct link_input *in, struct map *known,
                           uint32_t index) {
    struct variable v = in->o->vars.data[index];
    const uint64_t *at = map_get(known, v.name);
    in->vars[index] = (uint32_t)(at ? *at : link->out->vars.len);
    if (v.group != NO_INDEX)
        v.group = in->groups[v.group];
    v.scope = merge_scope(link, in, &v.scope);
    for (uint32_t k = 0; k < v.form.ndim; k++)
        if (v.form.shape[k].size != NO_INDEX)
            v.form.shape[k].size = in->sizes[v.form.shape[k].size];
    if (at) {
        if (!same_variable(&v, &link->out->vars.data[*at]))
            link_report_differs(link, in, "variable", v.name, v.place,
                                link->out->vars.data[*at].place);
        return;
    }
    map_put(known, v.name, link->out->vars.len);
    v.name = copy_text(link, v.name);
    v.place = link_place_out(in, v.place);
    vec_push(&link->out->vars, v);
}

static bool same_data(const struct data_record *left, const struct data_record *right) {
    return left->count == right->count &&
           memcmp(left->values, right->values, left->count * sizeof *left->values) == 0;
}

/* Initial contents may be repeated with their variable's declaration, but must then agree.
 * known: output variable -> output record + 1. */
static void merge_data(struct link *link, struct link_input *in, uint32_t *known, uint32_t index) {
    struct data_record r = in->o->data.data[index];
    r.variable = in->vars[r.variable];
    const struct variable *v = &link->out->vars.data[r.variable];
    if (known[r.variable]) {
        if (!same_data(&r, &link->out->data.data[known[r.variable] - 1]))
            diag_error(link->d, object_span(link->out, v->place, link->d),
                       "variable '%s' is given other initial contents by %s than before", v->name,
                       link_input_name(in));
        return;
    }
    uint64_t *values = ARENA_ARRAY(&link->out->arena, r.count, uint64_t);
    memcpy(values, r.values, r.count * sizeof *values);
    r.values = values;
    vec_push(&link->out->data, r);
    known[r.variable] = (uint32_t)link->out->data.len;
}

static bool same_bound(const struct move_bound *left, const struct move_bound *right) {
    return left->offset == right->offset && left->size == right->size &&
           left->size_coeff == right->size_coeff;
}

static bool same_affine(const struct move_affine *left, const struct move_affine *right) {
    return memcmp(left->coeff, right->coeff, sizeof left->coeff) == 0 &&
           left->offset == right->offset && left->size == right->size &&
           left->size_coeff == right->size_coeff;
}

static bool same_operands(const struct move *left, const struct move *right) {
    return left->dst_group == right->dst_group && left->src_group == right->src_group &&
           left->dst_reg == right->dst_reg && left->src_reg == right->src_reg &&
           left->dst_count == right->dst_count && left->src_count == right->src_count &&
           left->dst_has_k == right->dst_has_k && left->src_has_k == right->src_has_k &&
           object_scope_same(&left->scope, &right->scope);
}

static bool same_index(const struct move_index *left, const struct move_index *right) {
    return left->kind == right->kind && left->coordinate == right->coordinate &&
           left->reg == right->reg && left->follows == right->follows &&
           left->type.kind == right->type.kind && left->type.bits == right->type.bits;
}

static bool same_move(const struct move *left, const struct move *right) {
    bool same = same_operands(left, right) && left->width == right->width &&
                left->bounded == right->bounded && left->outside == right->outside &&
                left->fill == right->fill && same_index(&left->index, &right->index);
    for (unsigned d = 0; d < MOVE_MAX_DIMS && same; d++)
        same = same_bound(&left->first[d], &right->first[d]) &&
               same_bound(&left->last[d], &right->last[d]) &&
               same_affine(&left->source[d], &right->source[d]);
    return same && object_move_same_strides(left, right) && object_move_same_laps(left, right);
}

/* Names that the builder made are numbered anew, so that those of two inputs differ. */
static const char *move_name_out(struct link *link, const char *name) {
    if (strncmp(name, "$M", 2) == 0)
        return arena_name(&link->out->arena, "$M", link->out->moves.len);
    return copy_text(link, name);
}

/* Strides and laps into the output. */
static void steps_out(struct link *link, const struct link_input *in, const struct move *from,
                      struct move *move) {
    move->strides = NULL;
    move->laps = NULL;
    for (unsigned d = 0; from->strides && d < MOVE_MAX_DIMS; d++) {
        struct move_bound offset = from->strides->offset[d];
        offset.size = link_size_out(in, offset.size);
        object_move_set_stride(move, d, from->strides->coeff[d], &offset, &link->out->arena);
    }
    for (unsigned f = 0; from->laps && f < MOVE_FORMS; f++)
        for (unsigned d = 0; d < MOVE_MAX_DIMS; d++)
            object_move_set_laps(move, (enum move_form)f, d, from->laps->coeff[f][d],
                                 &link->out->arena);
}

static struct move move_out(struct link *link, const struct link_input *in, uint32_t index) {
    struct move m = in->o->moves.data[index];
    m.name = move_name_out(link, m.name);
    m.dst_group = m.dst_group == NO_INDEX ? NO_INDEX : in->groups[m.dst_group];
    m.src_group = m.src_group == NO_INDEX ? NO_INDEX : in->groups[m.src_group];
    m.scope = merge_scope(link, in, &m.scope);
    m.place = link_place_out(in, m.place);
    for (unsigned d = 0; d < MOVE_MAX_DIMS; d++) {
        m.first[d].size = link_size_out(in, m.first[d].size);
        m.last[d].size = link_size_out(in, m.last[d].size);
        m.source[d].size = link_size_out(in, m.source[d].size);
    }
    steps_out(link, in, &in->o->moves.data[index], &m);
    return m;
}

static void merge_move(struct link *link, struct link_input *in, struct map *known,
                       uint32_t index) {
    struct move m = move_out(link, in, index);
    const uint64_t *at = map_get(known, m.name);
    in->moves[index] = (uint32_t)(at ? *at : link->out->moves.len);
    if (at) {
        if (!same_move(&m, &link->out->moves.data[*at]))
            link_report_differs(link, in, "move", m.name, in->o->moves.data[index].place,
                                link->out->moves.data[*at].place);
        return;
    }
    map_put(known, m.name, link->out->moves.len);
    vec_push(&link->out->moves, m);
}

static void merge_debugs(struct link *link, struct link_input *in) {
    in->debug_base = (uint32_t)link->out->debugs.len;
    for (size_t i = 0; i < in->o->debugs.len; i++) {
        struct debug_record r = in->o->debugs.data[i];
        r.text = copy_text(link, r.text);
        vec_push(&link->out->debugs, r);
    }
}

/* The same file in several inputs is one; files that contradict each other are found by whoever
 * reads all of them. */
static void merge_recipes(struct link *link, const struct link_input *in) {
    struct object *out = link->out;
    for (size_t i = 0; i < in->o->recipes.len; i++) {
        struct user_file t = in->o->recipes.data[i];
        if (object_has_recipes(out, t.text, t.size))
            continue;
        t.name = copy_text(link, t.name);
        t.text = arena_copy(&out->arena, t.text, t.size);
        vec_push(&out->recipes, t);
    }
}

/* Two files that give an opcode two names, or a name two opcodes. */
static void check_users(struct link *link) {
    struct isa_users users = {0};
    if (link->out->recipes.len > OBJECT_MAX_RECIPES)
        diag_error(link->d, NO_SPAN, "the inputs bring %zu recipe files; the most is %d",
                   link->out->recipes.len, OBJECT_MAX_RECIPES);
    else
        object_users(link->out, &users, &link->arena, link->d);
}

/* `otherwise` is that of the input until the symbols are joined. */
static void merge_calls(struct link *link, struct link_input *in) {
    in->call_base = (uint32_t)link->out->calls.len;
    for (size_t i = 0; i < in->o->calls.len; i++)
        vec_push(&link->out->calls, link_call_out(link, in, &in->o->calls.data[i]));
}

static void append_calls(struct link *link, const struct link_input *in) {
    for (size_t i = 0; i < in->o->calls.len; i++) {
        struct recipe_call *c = &link->out->calls.data[in->call_base + i];
        if (c->otherwise != NO_INDEX)
            c->otherwise = in->symbols[c->otherwise];
    }
}

struct known_names {
    struct map sizes, values, groups, vars, moves;
};

static void merge_declarations(struct link *link, struct link_input *in,
                               struct known_names *known) {
    const struct object *o = in->o;
    in->sizes = index_map(link, o->sizes.len);
    in->size_base = (uint32_t)link->out->sizes.len;
    in->values = index_map(link, o->values.len);
    in->groups = index_map(link, o->groups.len);
    in->vars = index_map(link, o->vars.len);
    in->moves = index_map(link, o->moves.len);
    for (uint32_t i = 0; i < o->sizes.len; i++)
        merge_size(link, in, &known->sizes, i);
    for (uint32_t i = 0; i < o->values.len; i++)
        merge_link_value(link, in, &known->values, i);
    link_merge_luts(link, in);
    link_merge_products(link, in);
    for (uint32_t i = 0; i < o->groups.len; i++)
        merge_group(link, in, &known->groups, i);
    for (uint32_t i = 0; i < o->vars.len; i++)
        merge_variable(link, in, &known->vars, i);
    for (uint32_t i = 0; i < o->moves.len; i++)
        merge_move(link, in, &known->moves, i);
}

static void merge_all_data(struct link *link) {
    uint32_t *known = index_map(link, link->out->vars.len);
    for (size_t k = 0; k < link->count; k++)
        for (uint32_t i = 0; i < link->inputs[k].o->data.len; i++)
            merge_data(link, &link->inputs[k], known, i);
}

/* Lengths may be repeated with their variable's declaration, but must then agree.
 * known: output variable -> output length + 1. */
static void merge_length(struct link *link, const struct link_input *in, uint32_t *known,
                         uint32_t index) {
    struct length_record r = in->o->lengths.data[index];
    uint32_t length = in->vars[r.length];
    const struct variable *v = &link->out->vars.data[in->vars[r.variable]];
    uint32_t *first = &known[in->vars[r.variable]];
    if (*first && *first != length + 1)
        diag_error(link->d, object_span(link->out, v->place, link->d),
                   "variable '%s' is given another length by %s than before", v->name,
                   link_input_name(in));
    *first = length + 1;
}

static void merge_lengths(struct link *link) {
    uint32_t *known = index_map(link, link->out->vars.len);
    for (size_t k = 0; k < link->count; k++)
        for (uint32_t i = 0; i < link->inputs[k].o->lengths.len; i++)
            merge_length(link, &link->inputs[k], known, i);
    for (uint32_t i = 0; i < link->out->vars.len; i++)
        if (known[i]) {
            struct length_record r = {i, known[i] - 1};
            vec_push(&link->out->lengths, r);
        }
}

/* Constants of a variable that several objects declare are the first one's: they are help for
 * people alone. */
static void merge_constants_of(struct link *link, const char *array) {
    for (uint32_t d = 0; d < FORM_MAX_DIMS; d++)
        for (size_t k = 0; k < link->count; k++) {
            const char *constant = object_constant_of(link->inputs[k].o, array, d);
            if (!constant)
                continue;
            struct constant_record r = {array, d, copy_text(link, constant)};
            vec_push(&link->out->constants, r);
            break;
        }
}

static void merge_constants(struct link *link) {
    for (size_t i = 0; i < link->out->vars.len; i++)
        merge_constants_of(link, link->out->vars.data[i].name);
    for (size_t i = 0; i < link->out->values.len; i++)
        merge_constants_of(link, link->out->values.data[i].name);
}

static void merge_program(struct link *link) {
    const struct object *first = link->inputs[0].o;
    link->out->geometry = first->geometry;
    link->out->default_width = first->default_width;
    link->out->source = copy_text(link, first->source);
}

void link_merge_tables(struct link *link) {
    struct known_names known = {0};
    merge_program(link);
    for (size_t i = 0; i < link->count; i++) {
        struct link_input *in = &link->inputs[i];
        link->out->debug_lines |= in->o->debug_lines;
        merge_files(link, in);
        merge_geometry(link, in);
        merge_declarations(link, in, &known);
        merge_debugs(link, in);
        merge_recipes(link, in);
        link_merge_kernels(link, in);
        merge_calls(link, in);
    }
    merge_all_data(link);
    merge_lengths(link);
    merge_constants(link);
    check_users(link);
    check_value_names(link);
    link_check_buffers(link);
    map_free(&known.values);
    map_free(&known.sizes);
    map_free(&known.groups);
    map_free(&known.vars);
    map_free(&known.moves);
}

/* What a word without a relocation names lies in its own object. */
static uint32_t rebase_word(const struct link_input *in, uint32_t word) {
    struct insn i;
    enum debug_kind kind;
    if (isa_decode(word, &i) != ISA_OK)
        return word;
    if (isa_info(i.op)->format == FORMAT_J)
        i.imm += (int32_t)in->text_base;
    else if (i.op == OP_COMPUTEG)
        i.imm = (int32_t)in->groups[i.imm];
    else if (i.op == OP_GMOVE)
        i.imm = (int32_t)in->moves[i.imm];
    else if (object_debug_kind(i.op, &kind))
        i.imm += (int32_t)in->debug_base;
    else if (i.op == OP_RECIPE)
        i.imm += (int32_t)in->call_base;
    else if (isa_has_shape(i.op))
        i.shape = (uint8_t)in->products[i.shape];
    else
        return word;
    uint32_t rebased;
    return isa_encode(&i, &rebased) == ISA_OK ? rebased : word;
}

static struct reloc reloc_out(const struct link_input *in, struct reloc reloc) {
    reloc.index += in->text_base;
    switch (reloc.type) {
    case RELOC_J24:
        reloc.target = in->symbols[reloc.target];
        break;
    case RELOC_GROUP:
        reloc.target = in->groups[reloc.target];
        break;
    case RELOC_DEBUG:
        reloc.target += in->debug_base;
        break;
    case RELOC_MOVE:
        reloc.target = in->moves[reloc.target];
        break;
    case RELOC_CALL:
        reloc.target += in->call_base;
        break;
    case RELOC_LUT12:
        reloc.target = in->luts[reloc.target];
        break;
    case RELOC_VALUE12:
        reloc.target = in->values[reloc.target];
        break;
    default: /* object_check lets only COUNT and IMM12 through */
        reloc.target = in->sizes[reloc.target];
        break;
    }
    return reloc;
}

/* A LUT without a relocation has the width of its table. */
static void append_lut_reloc(struct link *link, const struct link_input *in, uint32_t index) {
    struct insn i;
    if (!isa_may_be(in->o->text.data[index], OP_LUT) ||
        object_decode(in->o, in->o->text.data[index], &i) != ISA_OK)
        return;
    struct reloc r = {in->text_base + index, RELOC_LUT12, i.width, in->luts[i.lut], 0};
    vec_push(&link->out->relocs, r);
}

static void append_words(struct link *link, const struct link_input *in) {
    size_t next = 0;
    vec_reserve(&link->out->text, link->out->text.len + in->o->text.len);
    for (uint32_t i = 0; i < in->o->text.len; i++) {
        bool has_reloc = next < in->o->relocs.len && in->o->relocs.data[next].index == i;
        uint32_t word = in->o->text.data[i];
        vec_push(&link->out->text, has_reloc ? word : rebase_word(in, word));
        if (has_reloc)
            vec_push(&link->out->relocs, reloc_out(in, in->o->relocs.data[next++]));
        else
            append_lut_reloc(link, in, i);
    }
}

/* An input without lines must not inherit the last place of the one before. */
static void append_lines(struct link *link, const struct link_input *in) {
    const struct object *o = in->o;
    if (o->text.len && link->out->lines.len && (!o->lines.len || o->lines.data[0].index != 0)) {
        struct line_entry gap = {in->text_base, {NO_INDEX, 0, 0}};
        vec_push(&link->out->lines, gap);
    }
    for (size_t i = 0; i < o->lines.len; i++) {
        struct line_entry e = o->lines.data[i];
        e.index += in->text_base;
        e.place = link_place_out(in, e.place);
        vec_push(&link->out->lines, e);
    }
}

static int by_first_mpu(const void *left, const void *right) {
    const struct entry *x = left, *y = right;
    return (x->first_mpu > y->first_mpu) - (x->first_mpu < y->first_mpu);
}

static void append_entries(struct link *link, const struct link_input *in) {
    for (size_t i = 0; i < in->o->entries.len; i++) {
        struct entry e = in->o->entries.data[i];
        if (e.symbol != NO_INDEX)
            e.symbol = in->symbols[e.symbol];
        vec_push(&link->out->entries, e);
    }
}

static void check_entries(struct link *link) {
    struct object *o = link->out;
    if (o->entries.len)
        qsort(o->entries.data, o->entries.len, sizeof *o->entries.data, by_first_mpu);
    for (size_t i = 1; i < o->entries.len; i++) {
        const struct entry *a = &o->entries.data[i - 1], *b = &o->entries.data[i];
        if ((uint64_t)a->first_mpu + a->mpu_count > b->first_mpu)
            diag_error(link->d, NO_SPAN, "two .mpu directives name MPU %u", (unsigned)b->first_mpu);
    }
}

/* MPUs of the entry table that the grid does not have. */
static void check_grid(struct link *link) {
    const struct object *o = link->out;
    uint64_t first = o->entries.len ? o->entries.data[0].first_mpu : 0;
    uint64_t end = o->entries.len ? vec_last(&o->entries).first_mpu : 0;
    if (!o->geometry.grid_dims || !o->entries.len)
        return;
    end += vec_last(&o->entries).mpu_count;
    if (end - first > grid_mpus(&o->geometry))
        diag_error(link->d, NO_SPAN,
                   "the .mpu directives name MPU%" PRIu64 " to MPU%" PRIu64
                   "; .geometry grid has %" PRIu32 " MPUs",
                   first, end - 1, grid_mpus(&o->geometry));
}

void link_merge_text(struct link *link) {
    for (size_t i = 0; i < link->count; i++) {
        append_words(link, &link->inputs[i]);
        append_lines(link, &link->inputs[i]);
        append_entries(link, &link->inputs[i]);
        append_calls(link, &link->inputs[i]);
        link_append_kernels(link, &link->inputs[i]);
        link_append_finishes(link, &link->inputs[i]);
        link_append_numbers(link, &link->inputs[i]);
    }
    check_entries(link);
    check_grid(link);
}
