/* SPDX-License-Identifier: MIT */
#include "tests/object/random_object.h"
#include "support/bits.h"

#include <string.h>

struct maker {
    struct object *o;
    uint64_t seed;
};

static uint32_t pick(struct maker *m, uint32_t n) {
    return (uint32_t)(splitmix64(&m->seed) % n);
}

static const char *name(struct maker *m, const char *prefix, size_t i) {
    static const char *const tail[] = {"", ".x", "_long_name_that_is_long", "$1", "Z"};
    return arena_printf(&m->o->arena, "%s%zu%s", prefix, i, tail[pick(m, 5)]);
}

static struct place place(struct maker *m) {
    if (m->o->files.len == 0 || pick(m, 4) == 0)
        return (struct place){NO_INDEX, 0, 0};
    return (struct place){pick(m, (uint32_t)m->o->files.len), 1 + pick(m, 1u << pick(m, 20)),
                          pick(m, 300)};
}

static struct lane_type type(struct maker *m) {
    switch (pick(m, 5)) {
    case 0:
        return (struct lane_type){TYPE_BOOL, 1};
    case 1:
        return (struct lane_type){TYPE_UINT, (uint8_t)(1 + pick(m, 64))};
    case 2:
        return (struct lane_type){TYPE_FLOAT, (uint8_t)(16 << pick(m, 3))};
    case 3:
        return (struct lane_type){TYPE_BFLOAT, 16};
    default:
        return (struct lane_type){TYPE_INT, (uint8_t)(2 + pick(m, 63))};
    }
}

static struct size_operand operand(struct maker *m) {
    if (pick(m, 3))
        return (struct size_operand){pick(m, (uint32_t)m->o->sizes.len), 0};
    int64_t any = (int64_t)(splitmix64(&m->seed) >> (24 + pick(m, 40)));
    return (struct size_operand){NO_INDEX, any - (int64_t)pick(m, 100)};
}

static void make_derived(struct maker *m, uint32_t i) {
    struct size_decl s = {.name = name(m, pick(m, 2) ? "$S" : "d", i),
                          .place = place(m),
                          .op = (enum size_op)(DERIVE_ADD + pick(m, 6)),
                          .left = operand(m),
                          .right = operand(m)};
    if (s.right.size == NO_INDEX)
        s.left = (struct size_operand){pick(m, (uint32_t)m->o->sizes.len), 0};
    object_size_normalise(&s);
    object_size_derive(m->o->sizes.data, &s);
    vec_push(&m->o->sizes, s);
}

static void make_sizes(struct maker *m) {
    for (uint32_t i = 0, n = pick(m, 4); i < n; i++) {
        struct size_decl s = {
            .name = name(m, "n", i), .has_default = pick(m, 2), .place = place(m)};
        uint64_t most = OBJECT_MAX_EXTENT;
        if (pick(m, 2))
            s.bound = most = 1 + splitmix64(&m->seed) % OBJECT_MAX_EXTENT;
        if (s.has_default)
            s.value = 1 + splitmix64(&m->seed) % most;
        vec_push(&m->o->sizes, s);
    }
    for (uint32_t i = 0, n = m->o->sizes.len ? pick(m, 4) : 0; i < n; i++)
        make_derived(m, i);
}

static void make_values(struct maker *m) {
    for (uint32_t i = 0, n = pick(m, 4); i < n; i++) {
        struct value_decl v = {
            .name = name(m, "k", i), .type = type(m), .ndim = pick(m, 3), .place = place(m)};
        for (uint32_t d = 0; d < v.ndim; d++)
            v.shape[d] = 1 + pick(m, 7);
        uint32_t count = object_value_count(&v);
        uint64_t *elements = ARENA_ARRAY(&m->o->arena, count, uint64_t);
        for (uint32_t e = 0; e < count; e++) {
            uint64_t x = splitmix64(&m->seed);
            elements[e] = v.type.kind == TYPE_INT ? (uint64_t)sign_extend(x, v.type.bits)
                                                  : x & low_bits(v.type.bits);
        }
        v.elements = pick(m, 2) ? elements : NULL;
        vec_push(&m->o->values, v);
    }
}

static struct extent extent(struct maker *m) {
    if (m->o->sizes.len && pick(m, 2))
        return (struct extent){pick(m, (uint32_t)m->o->sizes.len), 0};
    return (struct extent){NO_INDEX, 1 + pick(m, 9)};
}

static void make_groups(struct maker *m) {
    for (uint32_t i = 0, n = pick(m, 5); i < n; i++) {
        struct group g = {.name = name(m, "g", i),
                          .ndim = 1 + pick(m, 3),
                          .per_mpu = pick(m, 4) == 0,
                          .like = NO_INDEX,
                          .at_rfh = NO_INDEX,
                          .at_vrf = NO_INDEX,
                          .place = place(m)};
        for (uint32_t k = 0; k < g.ndim; k++)
            g.extent[k] = extent(m);
        if (i && pick(m, 3) == 0) {
            g.like = pick(m, i);
            g.per_mpu = m->o->groups.data[g.like].per_mpu;
        } else if (pick(m, 3) == 0) {
            g.at_rfh = pick(m, 4096);
            g.at_vrf = pick(m, 64);
        }
        vec_push(&m->o->groups, g);
    }
}

static void make_data(struct maker *m, uint32_t variable) {
    const struct variable *v = &m->o->vars.data[variable];
    uint64_t count = object_elements(m->o, v);
    count = count ? count : v->count * (1 + (uint64_t)pick(m, 5));
    uint64_t *values = ARENA_ARRAY(&m->o->arena, (size_t)count, uint64_t);
    for (uint64_t i = 0; i < count; i++)
        values[i] = splitmix64(&m->seed) & low_bits(v->type.bits);
    struct data_record r = {variable, count, values};
    vec_push(&m->o->data, r);
}

/* Groups in whose VRFs something lies that is of none. */
static struct group_scope make_scope(struct maker *m, uint32_t group) {
    uint32_t groups[4], count = group == NO_INDEX && m->o->groups.len ? pick(m, 5) : 0;
    for (uint32_t i = 0; i < count; i++)
        groups[i] = pick(m, (uint32_t)m->o->groups.len);
    return object_scope_of(&m->o->arena, groups, count);
}

/* Some arrays are other than their registers, in whatever way is allowed. */
static void make_form(struct maker *m, struct variable *v) {
    struct array_form f = {.order = (enum form_order)pick(m, 3), .shaped = pick(m, 2)};
    if (pick(m, 2))
        f.type = type(m);
    f.ndim = f.shaped ? pick(m, FORM_MAX_DIMS + 1) : 0;
    for (uint32_t i = 0; i < f.ndim; i++)
        f.shape[i] = extent(m);
    v->form = f;
    if (object_form_problem(m->o, v))
        v->form = (struct array_form){0};
}

static void make_variables(struct maker *m) {
    for (uint32_t i = 0, n = pick(m, 6); i < n; i++) {
        uint32_t groups = (uint32_t)m->o->groups.len;
        static const uint8_t directions[] = {VAR_LOCAL, VAR_IN, VAR_OUT, VAR_IN | VAR_OUT,
                                             VAR_IN | VAR_CONSUMED};
        struct variable v = {.name = name(m, "v", i),
                             .direction = directions[pick(m, 5)],
                             .type = type(m),
                             .count = 1,
                             .has_k = pick(m, 2),
                             .group = groups && pick(m, 3) ? pick(m, groups) : NO_INDEX,
                             .reg = (uint8_t)pick(m, 64),
                             .place = place(m)};
        if (v.has_k)
            v.count = 1 + pick(m, 64 - v.reg);
        v.scope = make_scope(m, v.group);
        make_form(m, &v);
        vec_push(&m->o->vars, v);
        if (pick(m, 3) == 0)
            make_data(m, i);
    }
}

/* Some variables that may have a length get one, if there is a variable that may be it. */
static void make_lengths(struct maker *m) {
    uint32_t length = NO_INDEX;
    for (uint32_t i = 0; i < m->o->vars.len; i++) {
        const struct variable *v = &m->o->vars.data[i];
        if (v->group == NO_INDEX && v->type.kind == TYPE_UINT && !v->has_k)
            length = i;
    }
    for (uint32_t i = 0; i < m->o->vars.len && length != NO_INDEX; i++) {
        struct length_record r = {i, length};
        if (!object_length_problem(m->o, i, length) && pick(m, 2))
            vec_push(&m->o->lengths, r);
    }
}

static void make_constants(struct maker *m) {
    for (size_t i = 0; i < m->o->vars.len; i++)
        for (uint32_t d = pick(m, 4); d < 4; d += 1 + pick(m, 4))
            object_add_constant(m->o, m->o->vars.data[i].name, d, d % 2 ? "N" : "K.2");
    for (size_t i = 0; i < m->o->values.len; i++)
        if (pick(m, 2))
            object_add_constant(m->o, m->o->values.data[i].name, pick(m, FORM_MAX_DIMS), "M");
}

static void make_debugs(struct maker *m) {
    static const char *const texts[] = {"", "region", "x = ", "tab\tand \"quotes\"", "\xc3\xa4"};
    for (uint32_t i = 0, n = pick(m, 6); i < n; i++) {
        struct debug_record r = {.kind = (enum debug_kind)pick(m, DEBUG_KINDS),
                                 .text = texts[pick(m, 5)],
                                 .reg = (uint8_t)pick(m, 64),
                                 .type = type(m)};
        if (!object_debug_has_register(r.kind)) {
            r.reg = 0;
            r.type = (struct lane_type){TYPE_BOOL, 0};
        }
        vec_push(&m->o->debugs, r);
    }
}

static int64_t factor(struct maker *m) {
    int64_t wide = (int64_t)(splitmix64(&m->seed) % (2 * MOVE_MAX_FACTOR + 1));
    return pick(m, 4) ? (int64_t)pick(m, 9) - 4 : wide - (int64_t)MOVE_MAX_FACTOR;
}

static struct move_bound bound(struct maker *m) {
    struct move_bound b = {factor(m), NO_INDEX, 0};
    if (m->o->sizes.len && pick(m, 2)) {
        b.size = pick(m, (uint32_t)m->o->sizes.len);
        b.size_coeff = factor(m);
        b.size_coeff += b.size_coeff == 0;
    }
    return b;
}

static void make_move_dims(struct maker *m, struct move *v) {
    uint32_t dst = object_move_dims(m->o, v->dst_group, v->dst_has_k);
    uint32_t src = object_move_dims(m->o, v->src_group, v->src_has_k);
    for (uint32_t d = 0; d < MOVE_MAX_DIMS; d++) {
        const struct move_bound none = {0, NO_INDEX, 0};
        bool bounded = d < dst && pick(m, 2);
        struct move_bound b = d < src ? bound(m) : none;
        v->bounded |= (uint8_t)(bounded << d);
        v->first[d] = bounded ? bound(m) : none;
        v->last[d] = bounded ? bound(m) : none;
        v->source[d].offset = b.offset;
        v->source[d].size = b.size;
        v->source[d].size_coeff = b.size_coeff;
        for (uint32_t k = 0; d < src && k < dst; k++)
            v->source[d].coeff[k] = pick(m, 2) ? factor(m) : 0;
    }
}

static void make_strides(struct maker *m, struct move *v, uint32_t dst) {
    for (uint32_t d = 0; d < dst; d++) {
        const struct move_bound b = bound(m);
        int64_t coeff = factor(m);
        if (pick(m, 4) == 0)
            object_move_set_stride(v, d, coeff ? coeff : -1, &b, &m->o->arena);
    }
}

static void make_laps(struct maker *m, struct move *v, uint32_t dst, uint32_t src) {
    for (unsigned f = 0; f < MOVE_FORMS; f++)
        for (uint32_t d = 0; d < (f == MOVE_SOURCE ? src : dst); d++) {
            int64_t coeff[MOVE_MAX_LAPS] = {0};
            coeff[pick(m, MOVE_MAX_LAPS)] = factor(m);
            coeff[pick(m, MOVE_MAX_LAPS)] = factor(m);
            if (pick(m, 4) == 0 && (f > MOVE_LAST || v->bounded >> d & 1))
                object_move_set_laps(v, (enum move_form)f, d, coeff, &m->o->arena);
        }
}

static void make_steps(struct maker *m, struct move *v) {
    uint32_t dst = object_move_dims(m->o, v->dst_group, v->dst_has_k);
    uint32_t src = object_move_dims(m->o, v->src_group, v->src_has_k);
    if (pick(m, 2))
        make_strides(m, v, dst);
    if (pick(m, 2))
        make_laps(m, v, dst, src);
}

static void make_registers(struct maker *m, uint8_t *reg, uint8_t *count, bool *has_k) {
    *reg = (uint8_t)pick(m, 64);
    *has_k = pick(m, 3) == 0;
    *count = *has_k ? (uint8_t)(1 + pick(m, 64u - *reg)) : 1;
}

static bool has_laps(const struct move *v, uint32_t source) {
    bool has = false;
    for (uint32_t n = 0; v->laps && n < MOVE_MAX_LAPS; n++)
        has |= v->laps->coeff[MOVE_SOURCE][source][n] != 0;
    return has;
}

/* `v` is a whole gather; it may become a scatter. */
static void make_index(struct maker *m, struct move *v) {
    uint32_t far = object_move_dims(m->o, v->src_group, v->src_has_k);
    struct move_index *x = &v->index;
    if (v->dst_group == NO_INDEX || far == 0 || pick(m, 2))
        return;
    bool scatters = v->src_group != NO_INDEX && v->outside != MOVE_FILL && pick(m, 2);
    x->kind = scatters ? INDEX_SCATTER : INDEX_GATHER;
    x->coordinate = (uint8_t)pick(m, far);
    if (has_laps(v, x->coordinate)) {
        *x = (struct move_index){0};
        return;
    }
    x->follows = v->dst_has_k && pick(m, 2);
    x->reg = (uint8_t)pick(m, x->follows ? 65u - v->dst_count : 64);
    x->type = pick(m, 2) ? (struct lane_type){TYPE_UINT, (uint8_t)(1 + pick(m, 64))}
                         : (struct lane_type){TYPE_INT, (uint8_t)(2 + pick(m, 63))};
    v->source[x->coordinate] = (struct move_affine){.size = NO_INDEX};
    if (v->outside == MOVE_WRAP && pick(m, 2))
        v->outside = MOVE_CLIP;
    *v = object_move_from_near(v);
}

static void make_moves(struct maker *m) {
    uint32_t groups = (uint32_t)m->o->groups.len;
    for (uint32_t i = 0, n = pick(m, 5); i < n; i++) {
        struct move v = {.name = name(m, "m", i),
                         .dst_group = groups && pick(m, 4) ? pick(m, groups) : NO_INDEX,
                         .src_group = groups && pick(m, 4) ? pick(m, groups) : NO_INDEX,
                         .width = (uint8_t)(1 + pick(m, 64)),
                         .outside = (enum move_outside)pick(m, 3),
                         .place = place(m)};
        v.scope = make_scope(m, v.dst_group);
        make_registers(m, &v.dst_reg, &v.dst_count, &v.dst_has_k);
        make_registers(m, &v.src_reg, &v.src_count, &v.src_has_k);
        make_move_dims(m, &v);
        make_steps(m, &v);
        if (v.outside == MOVE_FILL)
            v.fill = splitmix64(&m->seed) & low_bits(v.width);
        make_index(m, &v);
        vec_push(&m->o->moves, v);
    }
}

static void make_symbols(struct maker *m, uint32_t text) {
    for (uint32_t i = 0, n = pick(m, 8); i < n; i++) {
        struct symbol s = {.name = name(m, "s", i),
                           .kind = (enum symbol_kind)pick(m, 3),
                           .global = pick(m, 2),
                           .defined = true,
                           .place = place(m)};
        s.value = s.kind == SYMBOL_ABS ? (int64_t)splitmix64(&m->seed) : pick(m, text + 1);
        if (s.kind == SYMBOL_SUB)
            s.length = pick(m, text + 1 - (uint32_t)s.value);
        if (!m->o->linked && s.kind != SYMBOL_ABS && pick(m, 4) == 0) {
            s.defined = false;
            s.global = true;
            s.value = s.length = 0;
        }
        vec_push(&m->o->symbols, s);
    }
}

static void make_recipes(struct maker *m) {
    static const char *const texts[] = {
        "", "# nothing\n", "instruction AVG(a, b) -> d opcode 0xC0 { computes d == a }\n", "{ }"};
    for (uint32_t i = 0, n = pick(m, 4); i < n; i++) {
        struct user_file f = {name(m, "r.recipe", i), texts[(i + n) % 4], 0};
        f.size = strlen(f.text);
        vec_push(&m->o->recipes, f);
    }
}

static void make_passed(struct maker *m, struct passed_register *list, uint32_t *count) {
    *count = pick(m, SIGNATURE_MAX_REGISTERS + 1);
    for (uint32_t i = 0, first = pick(m, 64 - SIGNATURE_MAX_REGISTERS); i < *count; i++) {
        uint32_t kind = pick(m, 2);
        list[i] = (struct passed_register){
            (uint8_t)(first + i), {kind ? TYPE_INT : TYPE_UINT, (uint8_t)(2 + pick(m, 63))}};
    }
}

/* Of some of the global labels and subroutines. */
static void make_signatures(struct maker *m) {
    for (uint32_t i = 0; i < m->o->symbols.len; i++) {
        const struct symbol *y = &m->o->symbols.data[i];
        struct sub_signature s = {.name = y->name, .place = y->place};
        if (!y->global || y->kind == SYMBOL_ABS || pick(m, 2))
            continue;
        make_passed(m, s.in, &s.in_count);
        make_passed(m, s.out, &s.out_count);
        s.writes = pick(m, UINT32_MAX) | (uint64_t)pick(m, UINT32_MAX) << 32;
        for (uint32_t k = 0; k < s.out_count; k++)
            s.writes |= (uint64_t)1 << s.out[k].reg;
        vec_push(&m->o->signatures, s);
    }
}

static uint32_t otherwise(struct maker *m) {
    for (uint32_t s = 0; s < m->o->symbols.len; s++)
        if (m->o->symbols.data[s].kind != SYMBOL_ABS && pick(m, 2))
            return s;
    return NO_INDEX;
}

static void make_buffers(struct maker *m) {
    for (uint32_t i = 0, n = pick(m, 4); i < n; i++) {
        struct buffer_decl b = {.name = name(m, "buffer", i),
                                .direction = (uint8_t)pick(m, 4),
                                .type = type(m),
                                .ndim = pick(m, FORM_MAX_DIMS + 1),
                                .place = place(m)};
        for (uint32_t k = 0; k < b.ndim; k++)
            b.shape[k] = m->o->sizes.len && pick(m, 2)
                             ? (struct extent){pick(m, (uint32_t)m->o->sizes.len), 0}
                             : (struct extent){NO_INDEX, 1 + pick(m, 1u << pick(m, 20))};
        vec_push(&m->o->buffers, b);
    }
}

/* A text, or words. */
static void make_source(struct maker *m, uint32_t i, struct module_decl *out) {
    static const char *const texts[] = {"end", "\n", "ld x1 (x2)\n\tst \"x1\" \\ (x3)\n;\x01\n"};
    uint64_t *words = ARENA_ARRAY(&m->o->arena, 9, uint64_t);
    out->words = pick(m, 2);
    for (uint32_t w = 0; w < 9; w++)
        words[w] = splitmix64(&m->seed);
    out->bytes = out->words ? (const void *)words : texts[i % 3];
    out->size = out->words ? 8 * (1 + (size_t)pick(m, 9)) : strlen(texts[i % 3]);
    out->first_line = out->words ? 0 : pick(m, 100);
}

static void make_modules(struct maker *m) {
    for (uint32_t i = 0, n = pick(m, 4); i < n; i++) {
        struct module_decl d = {
            .name = name(m, "module", i), .form = name(m, "form", pick(m, 3)), .place = place(m)};
        make_source(m, i, &d);
        vec_push(&m->o->modules, d);
    }
}

static void make_parameter(struct maker *m, uint32_t i, struct kernel_parameter *out) {
    *out = (struct kernel_parameter){.name = name(m, "p", i),
                                     .kind = (enum parameter_kind)pick(m, PARAMETER_KINDS)};
    if (out->kind == PARAMETER_BYTES) {
        out->bytes = (uint16_t)(1 + pick(m, 40));
        out->align = (uint8_t)(1u << pick(m, 5));
    } else {
        out->type = type(m);
    }
}

static void make_kernels(struct maker *m) {
    for (uint32_t i = 0, n = pick(m, 4); i < n; i++) {
        struct kernel_parameter *list =
            ARENA_ARRAY(&m->o->arena, KERNEL_MAX_PARAMETERS, struct kernel_parameter);
        struct kernel_decl k = {.name = name(m, "kernel", i),
                                .form = name(m, "form", pick(m, 3)),
                                .parameters = list,
                                .parameter_count = pick(m, 15),
                                .otherwise = otherwise(m),
                                .place = place(m)};
        struct module_decl own = {.size = 0};
        make_source(m, i, &own);
        k.words = own.words;
        k.bytes = own.bytes;
        k.size = own.size;
        k.first_line = own.first_line;
        if (m->o->modules.len && pick(m, 2)) {
            k.module = pick(m, (uint32_t)m->o->modules.len);
            k.entry = pick(m, 2) ? k.name : name(m, "entry", i);
            object_kernel_join(m->o, &k);
        }
        for (uint32_t p = 0; p < k.parameter_count; p++)
            make_parameter(m, p, &list[p]);
        vec_push(&m->o->kernels, k);
    }
}

/* NULL, or a geometry that says some of what there is to say. */
static const struct launch_geometry *make_geometry(struct maker *m) {
    struct launch_geometry *g = ARENA_ARRAY(&m->o->arena, 1, struct launch_geometry);
    uint32_t grid = pick(m, LAUNCH_DIMS + 1), block = pick(m, LAUNCH_DIMS + 1);
    for (unsigned i = 0; i < LAUNCH_EXTENTS; i++)
        g->extent[i] = (struct extent){NO_INDEX, 0};
    for (uint32_t i = 0; i < grid; i++)
        g->extent[LAUNCH_GRID + i] = extent(m);
    for (uint32_t i = 0; i < block; i++)
        g->extent[LAUNCH_BLOCK + i] = extent(m);
    if (pick(m, 2))
        g->extent[LAUNCH_BYTES] = extent(m);
    if (pick(m, 2)) {
        g->extent[LAUNCH_UNITS] = extent(m);
        g->extent[LAUNCH_FIRST] = pick(m, 2) ? extent(m) : g->extent[LAUNCH_FIRST];
    }
    return object_launch_problem(m->o, g) ? NULL : g;
}

static const unsigned char *random_bytes(struct maker *m, uint32_t count) {
    unsigned char *bytes = (unsigned char *)ARENA_ARRAY(&m->o->arena, count, unsigned char);
    for (uint32_t i = 0; i < count; i++)
        bytes[i] = (unsigned char)pick(m, 256);
    return bytes;
}

/* A call of a kernel, if it has an argument for each parameter. */
static bool make_launch(struct maker *m, uint32_t kernel) {
    const struct kernel_decl *k = &m->o->kernels.data[kernel];
    struct kernel_argument *list =
        ARENA_ARRAY(&m->o->arena, KERNEL_MAX_PARAMETERS, struct kernel_argument);
    for (uint32_t i = 0; i < k->parameter_count; i++) {
        const struct kernel_parameter *p = &k->parameters[i];
        list[i] = (struct kernel_argument){NO_INDEX, NO_INDEX, 0, NULL};
        if (p->kind == PARAMETER_BUFFER)
            list[i].buffer = m->o->buffers.len ? pick(m, (uint32_t)m->o->buffers.len) : NO_INDEX;
        if (p->kind == PARAMETER_BYTES)
            list[i].bytes = random_bytes(m, p->bytes);
        else if (m->o->sizes.len && pick(m, 2))
            list[i].size = pick(m, (uint32_t)m->o->sizes.len);
        else
            list[i].number = pick(m, 2);
        if (object_argument_problem(m->o, p, &list[i]))
            return false;
    }
    struct recipe_call c = {(uint32_t)OP_RECIPE, k->otherwise, list, make_geometry(m)};
    const struct insn named = {.op = OP_RECIPE, .imm = (int32_t)kernel};
    isa_encode(&named, &c.word);
    vec_push(&m->o->calls, c);
    return true;
}

static void make_call(struct maker *m) {
    struct recipe_call c = {0xC0000000u | pick(m, 1u << 24), NO_INDEX, NULL, NULL};
    for (uint32_t k = 0; k < m->o->kernels.len; k++)
        if (pick(m, 2) && make_launch(m, k))
            return;
    for (uint32_t s = 0; s < m->o->symbols.len; s++)
        if (m->o->symbols.data[s].kind != SYMBOL_ABS && pick(m, 2))
            c.otherwise = s;
    vec_push(&m->o->calls, c);
}

static void add_reloc(struct maker *m, enum reloc_type type, unsigned piece, uint32_t target,
                      int64_t addend) {
    struct reloc r = {(uint32_t)m->o->text.len, type, (uint8_t)piece, target, addend};
    vec_push(&m->o->relocs, r);
}

/* Fields that name something else get it; false if the object has nothing to name. */
static bool settle(struct maker *m, struct insn *i, uint32_t text) {
    struct object *o = m->o;
    enum debug_kind kind;
    if (isa_info(i->op)->format == FORMAT_J) {
        i->imm = (int32_t)pick(m, text + 1);
        for (uint32_t s = 0; s < o->symbols.len; s++)
            if (o->symbols.data[s].kind != SYMBOL_ABS && pick(m, 2)) {
                add_reloc(m, RELOC_J24, 0, s, 0);
                break;
            }
    } else if (i->op == OP_COMPUTEG) {
        if (o->groups.len == 0)
            return false;
        i->imm = (int32_t)pick(m, (uint32_t)o->groups.len);
        add_reloc(m, RELOC_GROUP, 0, (uint32_t)i->imm, 0);
    } else if (i->op == OP_GMOVE) {
        if (o->moves.len == 0)
            return false;
        i->imm = (int32_t)pick(m, (uint32_t)o->moves.len);
        add_reloc(m, RELOC_MOVE, 0, (uint32_t)i->imm, 0);
    } else if (object_debug_kind(i->op, &kind)) {
        i->imm = -1;
        for (uint32_t r = 0; r < o->debugs.len; r++)
            if (o->debugs.data[r].kind == kind)
                i->imm = (int32_t)r;
        if (i->imm < 0)
            return false;
        add_reloc(m, RELOC_DEBUG, 0, (uint32_t)i->imm, 0);
    } else if (isa_has_table(i->op)) {
        if (o->luts.len == 0)
            return false;
        i->lut = (uint16_t)pick(m, (uint32_t)o->luts.len);
        if (!o->linked)
            add_reloc(m, RELOC_LUT12, 1 + pick(m, 64), i->lut, 0);
    } else if (isa_has_shape(i->op)) {
        if (o->products.len == 0)
            return false;
        i->shape = (uint8_t)pick(m, (uint32_t)o->products.len);
        i->width = 0;
        i->imm = 0;
    } else if (i->op == OP_RECIPE) {
        i->imm = (int32_t)o->calls.len;
        add_reloc(m, RELOC_CALL, 0, (uint32_t)i->imm, 0);
        make_call(m);
    } else if (o->values.len && i->op >= OP_LI && i->op <= OP_LIK5 && pick(m, 2)) {
        uint32_t v = pick(m, (uint32_t)o->values.len);
        add_reloc(m, RELOC_VALUE12, (unsigned)(i->op - OP_LI), v,
                  pick(m, object_value_count(&o->values.data[v])));
    } else if (o->sizes.len && i->op == OP_REPEAT) {
        add_reloc(m, RELOC_COUNT, 0, pick(m, (uint32_t)o->sizes.len), -1);
    } else if (o->sizes.len && i->op >= OP_LI && i->op <= OP_LIK5) {
        add_reloc(m, RELOC_IMM12, (unsigned)(i->op - OP_LI), pick(m, (uint32_t)o->sizes.len), 1000);
    }
    return true;
}

/* Ranges of the text, one behind the other, each for one or two outputs. */
static void make_finishes(struct maker *m, uint32_t text) {
    uint32_t at = pick(m, 4), last = at;
    for (uint32_t i = 0; i < m->o->vars.len && m->o->groups.len; i++) {
        struct finish_record r = {.variable = i,
                                  .element = pick(m, m->o->vars.data[i].count),
                                  .kind = (enum finish_kind)pick(m, FINISH_KINDS),
                                  .group = pick(m, (uint32_t)m->o->groups.len),
                                  .reg = (uint8_t)pick(m, 64),
                                  .type = type(m),
                                  .place = place(m)};
        bool same = last > at && pick(m, 3) == 0;
        if (object_finish_problem(m->o, &r))
            continue;
        at = same ? at : last + pick(m, 3);
        last = same ? last : at + 1 + pick(m, 4);
        r.first = at;
        r.last = last;
        if (last <= text)
            vec_push(&m->o->finishes, r);
    }
}

/* Elements first .. of a table from a size or value, if the object has one. */
static uint32_t make_fill(struct maker *m, uint32_t first, uint32_t entries, struct lut_fill *out) {
    const struct object *o = m->o;
    if (o->values.len && pick(m, 2)) {
        uint32_t v = pick(m, (uint32_t)o->values.len);
        uint32_t count = object_value_count(&o->values.data[v]), from = pick(m, count);
        uint32_t most = count - from < entries - first ? count - from : entries - first;
        *out = (struct lut_fill){LUT_VALUE, first, 1 + pick(m, most), v, from};
        return out->count;
    }
    if (o->sizes.len && pick(m, 2)) {
        *out = (struct lut_fill){LUT_SIZE, first, 1, pick(m, (uint32_t)o->sizes.len),
                                 (int64_t)pick(m, 100) - 50};
        return 1;
    }
    return 0;
}

/* Linked, an index has no more bits than the table's width. */
static void make_luts(struct maker *m) {
    struct object *o = m->o;
    for (uint32_t i = 0, n = pick(m, 4); i < n; i++) {
        uint8_t w = (uint8_t)(1 + pick(m, 64)), k = (uint8_t)(1 + pick(m, 6));
        k = o->linked && k > w ? w : k;
        uint32_t entries = 1u << k, fills = 0, given = pick(m, entries + 1);
        uint64_t *list = ARENA_ARRAY(&o->arena, entries, uint64_t);
        struct lut_fill *fill = ARENA_ARRAY(&o->arena, entries, struct lut_fill);
        for (uint32_t e = 0; e < given;) {
            uint32_t made = make_fill(m, e, entries, &fill[fills]);
            bool goes_on = made && fills && fill[fills].source == LUT_VALUE &&
                           fill[fills - 1].source == LUT_VALUE &&
                           fill[fills - 1].first + fill[fills - 1].count == e;
            if (made && !goes_on)
                fills++;
            else
                list[e] = splitmix64(&m->seed) & low_bits(w);
            e += made && !goes_on ? made : 1;
        }
        struct lut_decl t = {.name = name(m, "table", i),
                             .table = {k, w, list},
                             .element_bits = o->linked ? (uint8_t)(1 + pick(m, 64)) : w,
                             .fill_count = fills,
                             .fills = fill,
                             .place = place(m)};
        vec_push(&o->luts, t);
    }
}

static void make_text(struct maker *m, uint32_t text) {
    struct object *o = m->o;
    while (o->text.len < text) {
        struct insn i;
        uint32_t word;
        if (isa_decode((uint32_t)splitmix64(&m->seed), &i) != ISA_OK || !settle(m, &i, text))
            i = (struct insn){.op = OP_NOP};
        if (isa_encode(&i, &word) != ISA_OK)
            continue;
        o->sets |= UINT32_C(1) << isa_info(i.op)->set;
        vec_push(&o->text, word);
    }
}

static void make_lines(struct maker *m, uint32_t text) {
    struct object *o = m->o;
    if (o->files.len == 0 || text == 0)
        return;
    o->debug_lines = true;
    for (uint32_t i = pick(m, text); i < text; i += 1 + pick(m, 40)) {
        struct line_entry e = {i, place(m)};
        vec_push(&o->lines, e);
    }
}

static void make_entries(struct maker *m) {
    uint32_t mpu = 0;
    for (uint32_t i = 0, n = pick(m, 4); i < n; i++) {
        struct entry e = {mpu + pick(m, 3), 1 + pick(m, 5), NO_INDEX};
        for (uint32_t s = 0; s < m->o->symbols.len; s++)
            if (m->o->symbols.data[s].kind != SYMBOL_ABS && pick(m, 2))
                e.symbol = s;
        vec_push(&m->o->entries, e);
        mpu = e.first_mpu + e.mpu_count;
    }
}

static void make_products(struct maker *m) {
    for (uint32_t i = 0, n = pick(m, 4); i < n; i++) {
        struct product_decl p = {.name = name(m, "shape", i),
                                 .product = {.a = (uint8_t)(1 + pick(m, 64)),
                                             .b = (uint8_t)(1 + pick(m, 64)),
                                             .width = (uint8_t)(1 + pick(m, 64)),
                                             .signed_a = pick(m, 2),
                                             .signed_b = pick(m, 2)},
                                 .place = {NO_INDEX, 0, 0}};
        p.product.lo = (uint8_t)pick(m, (uint32_t)p.product.a + p.product.b);
        vec_push(&m->o->products, p);
    }
}

static void make_packages(struct maker *m) {
    static const char *const targets[] = {"racer", "mimdram", "pluto-bsa:ddr4"};
    for (uint32_t i = 0; m->o->linked && i < pick(m, 4); i++) {
        struct package_blob p = {targets[i], name(m, "bytes", i), pick(m, 6)};
        vec_push(&m->o->packages, p);
    }
}

struct object *random_object(uint64_t seed) {
    struct maker m = {object_new(), seed};
    struct object *o = m.o;
    uint32_t text = pick(&m, 3) ? pick(&m, 120) : 0;
    o->linked = pick(&m, 3) == 0;
    o->default_width = (uint8_t)(1 + pick(&m, 64));
    o->geometry = (struct geometry){
        .lanes = 1 + pick(&m, 1024), .vrfs = 1 + pick(&m, 64), .rfhs = 1 + pick(&m, 16)};
    o->geometry.grid_dims = pick(&m, GRID_MAX_DIMS + 1);
    for (uint32_t i = 0; i < o->geometry.grid_dims; i++)
        o->geometry.grid[i] = 1 + pick(&m, 8);
    for (uint32_t i = 0, n = pick(&m, 3); i < n; i++)
        vec_push(&o->files, name(&m, "dir/file", i));
    if (pick(&m, 2))
        o->source = "main.s";
    make_sizes(&m);
    make_values(&m);
    make_luts(&m);
    make_products(&m);
    make_groups(&m);
    make_variables(&m);
    make_lengths(&m);
    make_constants(&m);
    make_finishes(&m, text);
    make_debugs(&m);
    make_moves(&m);
    make_symbols(&m, text);
    make_recipes(&m);
    make_buffers(&m);
    make_modules(&m);
    make_kernels(&m);
    make_signatures(&m);
    make_text(&m, text);
    make_lines(&m, text);
    make_entries(&m);
    make_packages(&m);
    return o;
}
