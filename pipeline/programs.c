/* SPDX-License-Identifier: MIT
 * Texts that a pipeline becomes: stage kernels, and programs in ezpim that launch them. */
#include "pipeline/pipeline.h"

#include "stage/stage.h"

#include <inttypes.h>
#include <string.h>

/* ---- arrays ---- */

static bool has_tail(const struct pipeline_stage *s, const struct pipeline_bound *b) {
    return pipeline_windows(s->pattern) && pipeline_has_elements(b);
}

static uint32_t windows_of(const struct pipeline_stage *s) {
    return s->overlap + (pipeline_groups(s->pattern) ? 0 : 1);
}

/* What a kernel is called with. */
struct parameters {
    struct arena arena;
    VEC(struct kernel_parameter) list;
};

static void add_parameter(struct parameters *to, const char *name, struct lane_type type) {
    for (size_t i = 0; i < to->list.len; i++)
        if (strcmp(to->list.data[i].name, name) == 0)
            return;
    vec_push(&to->list,
             ((struct kernel_parameter){
                 .name = arena_strdup(&to->arena, name), .kind = PARAMETER_BUFFER, .type = type}));
}

/* Whether an array lies in a buffer; without a segment each does. */
static bool in_buffer(const struct pipeline *p, const struct pipeline_segment *segment,
                      uint32_t array) {
    if (!segment || p->arrays.data[array].use != PIPELINE_ELEMENTS)
        return true;
    for (size_t i = 0; i < segment->traffic.len; i++) {
        const struct pipeline_traffic *t = &segment->traffic.data[i];
        if (t->array == array)
            return pipeline_lies(t);
    }
    return false;
}

static bool counts(const struct pipeline *p, const struct pipeline_segment *segment,
                   uint32_t array) {
    return p->arrays.data[array].kept && in_buffer(p, segment, array);
}

static void stage_parameters(const struct pipeline *p, const struct pipeline_segment *segment,
                             uint32_t number, struct parameters *out) {
    const struct pipeline_stage *s = &p->stages.data[number];
    char name[32];
    for (uint32_t k = 0; k < s->count; k++) {
        const struct pipeline_bound *b = &s->arguments[k];
        struct lane_type type = p->arrays.data[b->array].type;
        pipeline_array_name(b->array, name);
        if (in_buffer(p, segment, b->array))
            add_parameter(out, name, type);
        pipeline_tail_name(number, k, name);
        if (has_tail(s, b))
            add_parameter(out, name, type);
    }
    if (s->made == NO_INDEX)
        return;
    pipeline_array_name(s->made, name);
    if (in_buffer(p, segment, s->made))
        add_parameter(out, name, p->arrays.data[s->made].type);
    pipeline_count_name(s->made, name);
    if (counts(p, segment, s->made))
        add_parameter(out, name, (struct lane_type){TYPE_UINT, 64});
}

/* ---- stages ---- */

/* Of all kernels, behind their length. */
static void put_pattern(const struct pipeline_stage *s, struct str *out) {
    if (s->pattern == PIPELINE_MAP || s->pattern == PIPELINE_REDUCE)
        str_append(out, s->pattern == PIPELINE_MAP ? "map" : "reduce");
    if (pipeline_windows(s->pattern))
        str_printf(out, "window %" PRIu32 " ", windows_of(s));
    if (pipeline_groups(s->pattern))
        str_printf(out, "group %" PRIu32 " ", s->group);
    if (pipeline_filters(s->pattern))
        str_append(out, "filter");
}

static void put_input(uint32_t number, uint32_t k, const struct pipeline_stage *s, const char *name,
                      struct str *out) {
    char tail[32];
    str_printf(out, "in %s", name);
    pipeline_tail_name(number, k, tail);
    if (has_tail(s, &s->arguments[k]))
        str_printf(out, " tail %s", tail);
}

static void put_argument(const struct pipeline *p, uint32_t number, uint32_t k, struct str *out) {
    const struct pipeline_stage *s = &p->stages.data[number];
    const struct pipeline_bound *b = &s->arguments[k];
    const uint64_t elements = p->arrays.data[b->array].elements;
    char name[24];
    pipeline_array_name(b->array, name);
    switch (b->role) {
    case PIPELINE_INPUT:
        put_input(number, k, s, name, out);
        break;
    case PIPELINE_INOUT:
        if (pipeline_filters(s->pattern))
            put_input(number, k, s, name, out);
        else
            str_printf(out, "inout %s", name);
        break;
    case PIPELINE_OUTPUT:
        str_printf(out, "out %s", name);
        break;
    case PIPELINE_SCALAR:
        str_printf(out, "whole %s[%" PRIu64 "]", name, elements);
        break;
    default:
        str_printf(out, "acc %s[%" PRIu64 "]", name, elements);
        if (s->init)
            str_printf(out, " = %s", s->init);
    }
    str_printf(out, " as %s", b->name);
}

/* What a filter keeps is its first input's. */
static void put_kept(const struct pipeline *p, const struct pipeline_segment *segment,
                     const struct pipeline_stage *s, struct str *out) {
    char name[24];
    size_t k = s->arguments[0].role == PIPELINE_OUTPUT ? 1 : 0;
    pipeline_array_name(s->made, name);
    str_printf(out, ", out %s from %s", name, s->arguments[k].name);
    pipeline_count_name(s->made, name);
    if (counts(p, segment, s->made))
        str_printf(out, ", count %s", name);
}

static void put_stage(const struct pipeline *p, const struct pipeline_segment *segment,
                      uint32_t number, struct str *out) {
    const struct pipeline_stage *s = &p->stages.data[number];
    const char *comma = "";
    put_pattern(s, out);
    str_append(out, " (");
    for (uint32_t k = 0; k < s->count; k++) {
        if (!s->arguments[k].name)
            continue;
        str_append(out, comma);
        put_argument(p, number, k, out);
        comma = ", ";
    }
    if (s->made != NO_INDEX)
        put_kept(p, segment, s, out);
    str_printf(out, ") {\n%s\n}", s->body);
    if (s->combine)
        str_printf(out, " combine (%s) {\n%s\n}", s->other, s->combine);
    str_char(out, '\n');
}

static void put_local_arrays(const struct pipeline *p, const struct pipeline_segment *segment,
                             uint32_t first, uint32_t end, struct str *out) {
    for (size_t i = 0; i < segment->traffic.len; i++) {
        uint32_t array = segment->traffic.data[i].array, maker = p->arrays.data[array].maker;
        char name[24], type[8];
        if (in_buffer(p, segment, array) || maker < first || maker >= end)
            continue;
        pipeline_array_name(array, name);
        object_type_text(p->arrays.data[array].type, type);
        str_printf(out, "array %s: %s;\n", name, type);
    }
}

/* ---- one stage ---- */

/* Reads the text of a kernel, to check it; takes `parameters` and the text along. */
static bool check_kernel(struct parameters *parameters, struct str *text, const char *place,
                         struct diag *diag) {
    const struct kernel_decl decl = {.name = place,
                                     .form = "stage",
                                     .bytes = str_text(text),
                                     .size = text->len,
                                     .parameters = parameters->list.data,
                                     .parameter_count = (uint32_t)parameters->list.len,
                                     .otherwise = NO_INDEX};
    struct stage_kernel *read = stage_read(&decl, place, diag);
    bool fine = read != NULL;
    stage_free(read);
    vec_free(&parameters->list);
    arena_free(&parameters->arena);
    str_free(text);
    return fine;
}

bool pipeline_constant(struct pipeline *pipeline, const char *name, struct lane_type type,
                       const char *value, struct diag *diag) {
    struct parameters parameters = {.arena = {NULL}};
    struct str text = {0};
    const size_t before = pipeline->constants.len;
    char type_text[8];
    if (!pipeline_is_name(name) || !*value || value[strspn(value, "-+.0123456789abcdefxABCDEF")]) {
        diag_error(diag, NO_SPAN, "a constant has a name and a number, and not '%s' and '%s'", name,
                   value);
        return false;
    }
    object_type_text(type, type_text);
    str_printf(&pipeline->constants, "const %s %s = %s;\n", type_text, name, value);
    add_parameter(&parameters, "mpu_x", (struct lane_type){TYPE_UINT, 8});
    str_printf(&text, "length 1;\n%smap (inout mpu_x) { *mpu_x = 0; }\n",
               str_text(&pipeline->constants));
    bool fine = check_kernel(&parameters, &text, "constant", diag);
    if (!fine)
        pipeline->constants.text[pipeline->constants.len = before] = '\0';
    return fine;
}

bool pipeline_check_stage(const struct pipeline *pipeline, uint32_t stage, struct diag *diag) {
    const struct pipeline_stage *s = &pipeline->stages.data[stage];
    struct parameters parameters = {.arena = {NULL}};
    struct str text = {0};
    stage_parameters(pipeline, NULL, stage, &parameters);
    vec_push(&parameters.list,
             ((struct kernel_parameter){
                 .name = "mpu_n", .kind = PARAMETER_NUMBER, .type = {TYPE_UINT, 64}}));
    str_printf(&text, "length mpu_n;\n%s", str_text(&pipeline->constants));
    put_stage(pipeline, NULL, stage, &text);
    return check_kernel(&parameters, &text, s->place, diag);
}

/* ---- a segment ---- */

static void put_extent(const struct pipeline *p, const struct pipeline_segment *s, uint32_t array,
                       struct str *out) {
    const struct pipeline_array *x = &p->arrays.data[array];
    if (x->use != PIPELINE_ELEMENTS) {
        str_printf(out, "[%" PRIu64 "]", x->elements);
        return;
    }
    uint64_t divide = pipeline_divide(p, x->length, s->base);
    str_append(out, "[n");
    if (divide > 1)
        str_u64(out, divide);
    str_char(out, ']');
}

static void put_sizes(const struct pipeline *p, const struct pipeline_segment *s, bool units,
                      struct str *out) {
    VEC(uint64_t) said = {0};
    str_append(out, "size n = 1;\n");
    if (units)
        str_append(out, "size u = 1;\n");
    for (size_t i = 0; i < s->traffic.len; i++) {
        const struct pipeline_array *x = &p->arrays.data[s->traffic.data[i].array];
        uint64_t divide = x->use == PIPELINE_ELEMENTS ? pipeline_divide(p, x->length, s->base) : 1;
        size_t k = 0;
        while (k < said.len && said.data[k] != divide)
            k++;
        if (divide == 1 || k < said.len)
            continue;
        vec_push(&said, divide);
        str_printf(out, "size n%" PRIu64 " = n / %" PRIu64 ";\n", divide, divide);
    }
    vec_free(&said);
}

static void put_buffer(const struct pipeline *p, const struct pipeline_segment *s,
                       const struct pipeline_traffic *t, struct str *out) {
    const struct pipeline_array *x = &p->arrays.data[t->array];
    char name[24], type[8];
    /* What a stage changes is an output to the language, whether it is fetched or not. */
    bool changes = x->use == PIPELINE_RESULT ||
                   (x->changed != NO_INDEX && p->stages.data[x->changed].segment == s->number);
    bool goes_out = t->out || (t->in && changes);
    pipeline_array_name(t->array, name);
    object_type_text(x->type, type);
    str_printf(out, "buffer %s%s: %s",
               t->in && goes_out ? "inout "
               : t->in           ? "in "
               : goes_out        ? "out "
                                 : "",
               name, type);
    put_extent(p, s, t->array, out);
    str_append(out, ";\n");
    pipeline_count_name(t->array, name);
    if (x->kept && x->maker != NO_INDEX && p->stages.data[x->maker].segment == s->number)
        str_printf(out, "buffer out %s: u64;\n", name);
}

static void put_tails(const struct pipeline *p, const struct pipeline_segment *segment,
                      struct str *out) {
    for (uint32_t i = segment->kernels.data[0]; i < vec_last(&segment->kernels); i++) {
        const struct pipeline_stage *s = &p->stages.data[i];
        for (uint32_t k = 0; k < s->count; k++) {
            char name[32], type[8];
            if (!has_tail(s, &s->arguments[k]))
                continue;
            pipeline_tail_name(i, k, name);
            object_type_text(p->arrays.data[s->arguments[k].array].type, type);
            str_printf(out, "buffer in %s: %s[%" PRIu32 "];\n", name, type, s->overlap);
        }
    }
}

static void put_kernel(const struct pipeline *p, const struct pipeline_segment *segment, size_t k,
                       bool units, struct str *launches, struct str *out) {
    const uint32_t first = segment->kernels.data[k], end = segment->kernels.data[k + 1];
    struct parameters parameters = {.arena = {NULL}};
    uint64_t divide =
        pipeline_divide(p, pipeline_stage_length(p, &p->stages.data[first]), segment->base);
    for (uint32_t i = first; i < end; i++)
        stage_parameters(p, segment, i, &parameters);
    str_printf(out, "kernel stages%zu stage(", k);
    str_printf(launches, "    launch stages%zu(", k);
    for (size_t i = 0; i < parameters.list.len; i++) {
        char type[8];
        object_type_text(parameters.list.data[i].type, type);
        str_printf(out, "%s: %s[], ", parameters.list.data[i].name, type);
        str_printf(launches, "%s, ", parameters.list.data[i].name);
    }
    str_printf(out, "mpu_n: u64) {\nlength mpu_n;\n%s", str_text(&p->constants));
    put_local_arrays(p, segment, first, end, out);
    for (uint32_t i = first; i < end; i++)
        put_stage(p, segment, i, out);
    str_append(out, "}\n");
    str_append(launches, "n");
    if (divide > 1)
        str_printf(launches, "%" PRIu64, divide);
    str_printf(launches, ")%s;\n", units ? " units u" : "");
    vec_free(&parameters.list);
    arena_free(&parameters.arena);
}

void pipeline_program(const struct pipeline *pipeline, const struct pipeline_segment *segment,
                      bool units, struct str *out) {
    struct str launches = {0};
    put_sizes(pipeline, segment, units, out);
    for (size_t i = 0; i < segment->traffic.len; i++)
        if (in_buffer(pipeline, segment, segment->traffic.data[i].array))
            put_buffer(pipeline, segment, &segment->traffic.data[i], out);
    put_tails(pipeline, segment, out);
    for (size_t k = 0; k + 1 < segment->kernels.len; k++)
        put_kernel(pipeline, segment, k, units, &launches, out);
    str_printf(out, "main {\n%s}\n", str_text(&launches));
    str_free(&launches);
}

/* ---- what parts have left ---- */

void pipeline_combine_program(const struct pipeline *pipeline, uint32_t stage, struct str *out) {
    const struct pipeline_stage *s = &pipeline->stages.data[stage];
    size_t k = 0;
    while (s->arguments[k].role != PIPELINE_REDUCE_OUT)
        k++;
    const struct pipeline_array *x = &pipeline->arrays.data[s->arguments[k].array];
    const char *own = s->arguments[k].name;
    char type[8];
    object_type_text(x->type, type);
    str_printf(
        out,
        "buffer in mpu_one: u8[1];\nbuffer in mpu_part: %s[%" PRIu64 "];\n"
        "buffer inout mpu_into: %s[%" PRIu64 "];\n"
        "kernel combine stage(mpu_one: u8[], mpu_part: %s[], mpu_into: %s[]) {\nlength 1;\n%s"
        "reduce (in mpu_one, whole mpu_part[%" PRIu64 "], acc mpu_into[%" PRIu64 "] as %s) {\n"
        "%s %s[%" PRIu64 "];\nfor (u32 mpu_x = 0; mpu_x < %" PRIu64
        "; mpu_x++) %s[mpu_x] = mpu_part[mpu_x];\n%s\n} combine (%s) {\n%s\n}\n}\n"
        "main { launch combine(mpu_one, mpu_part, mpu_into); }\n",
        type, x->elements, type, x->elements, type, type, str_text(&pipeline->constants),
        x->elements, x->elements, own, type, s->other, x->elements, x->elements, s->other,
        s->combine, s->other, s->combine);
}
