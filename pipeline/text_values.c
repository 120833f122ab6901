/* SPDX-License-Identifier: MIT
 * Numbers of a pipeline's text: those of its parameters in what it says, how many a filter keeps,
 * and what accumulators begin with. */
#include "pipeline/text_adding.h"

#include "stage/stage.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

uint32_t pipeline_text_parameter(const struct pipeline_text *t, const char *name) {
    for (uint32_t i = 0; i < t->decl->parameter_count; i++)
        if (strcmp(t->decl->parameters[i].name, name) == 0)
            return i;
    return NO_INDEX;
}

bool pipeline_text_number(const struct pipeline_text *text, const struct pipeline_given *given,
                          const struct pipeline_piece *piece, const char *what, uint64_t most,
                          uint64_t *value, struct portable_fault *fault) {
    *value = 0;
    if (!isdigit((unsigned char)piece->text[0])) {
        uint32_t i = pipeline_text_parameter(text, piece->text);
        if (i == NO_INDEX || text->decl->parameters[i].kind != PARAMETER_NUMBER ||
            object_type_is_float(text->decl->parameters[i].type))
            return pipeline_text_wrong(text, piece->at, fault,
                                       "%s is a number, a size or a constant, and `%s` is none",
                                       what, piece->text);
        if (!given[i].known)
            return true;
        *value = given[i].number;
    } else if (!number_parse_u64(piece->text, strlen(piece->text), value)) {
        return pipeline_text_wrong(text, piece->at, fault, "`%s` is no number", piece->text);
    }
    if (*value <= most)
        return true;
    return pipeline_text_wrong(text, piece->at, fault, "%s is %" PRIu64 ", and may be %" PRIu64,
                               what, *value, most);
}

const char *pipeline_text_with_numbers(struct pipeline_text_adding *a, const char *text) {
    const struct kernel_decl *d = a->t->decl;
    const char **from = ARENA_ARRAY(&a->t->arena, d->parameter_count + 1, const char *);
    const char **to = ARENA_ARRAY(&a->t->arena, d->parameter_count + 1, const char *);
    size_t count = 0;
    for (uint32_t i = 0; i < d->parameter_count; i++) {
        const struct kernel_parameter *p = &d->parameters[i];
        struct str number = {0};
        char type[8];
        if (p->kind != PARAMETER_NUMBER || !pipeline_has_word(text, p->name))
            continue;
        object_type_text(p->type, type);
        object_pattern_text(p->type, a->given[i].known ? a->given[i].number : 1, &number);
        from[count] = p->name;
        to[count++] = stage_is_integer(p->type) && p->type.bits == 64
                          ? str_text(&number)[0] == '-'
                                ? arena_printf(&a->t->arena, "(%s)", str_text(&number))
                                : arena_strdup(&a->t->arena, str_text(&number))
                          : arena_printf(&a->t->arena, "(%s)%s", type, str_text(&number));
        str_free(&number);
    }
    return count ? pipeline_rename(&a->t->arena, text, from, to, count) : text;
}

const char *pipeline_text_constants(struct pipeline_text_adding *a) {
    return a->t->constants.text
               ? arena_strdup(&a->to->arena, pipeline_text_with_numbers(a, a->t->constants.text))
               : NULL;
}

const struct pipeline_named *pipeline_text_kept(const struct pipeline_written *s) {
    for (size_t i = 0; i < s->parameters.len; i++)
        if (s->parameters.data[i].role == PIPELINE_OUTPUT ||
            s->parameters.data[i].role == PIPELINE_INOUT)
            return &s->parameters.data[i];
    return NULL;
}

struct pipeline_kept_count *pipeline_text_counts(struct pipeline_text *text,
                                                 const struct pipeline_given *given,
                                                 size_t *count) {
    struct pipeline_kept_count *all =
        ARENA_ARRAY(&text->arena, text->stages.len + 1, struct pipeline_kept_count);
    *count = 0;
    for (size_t i = 0; i < text->stages.len; i++) {
        const struct pipeline_written *s = &text->stages.data[i];
        if (!s->count.text)
            continue;
        uint64_t group = 1;
        struct portable_fault none = {.line = 0};
        if (s->group.text)
            pipeline_text_number(text, given, &s->group, "", UINT64_MAX, &group, &none);
        all[(*count)++] = (struct pipeline_kept_count){
            pipeline_text_parameter(text, s->count.text),
            given[pipeline_text_parameter(text, pipeline_text_kept(s)->array.text)].data,
            (uint32_t)group};
    }
    return all;
}

/* ---- what accumulators begin with ---- */

static bool evaluate(struct pipeline_text *t, struct lane_type type, const char *constants,
                     const char *init, uint64_t *value) {
    const struct kernel_parameter parameters[] = {
        {.name = "mpu_x", .kind = PARAMETER_BUFFER, .type = type},
        {.name = "mpu_r", .kind = PARAMETER_BUFFER, .type = type}};
    const char *text = arena_printf(&t->arena,
                                    "length 1;%s reduce (in mpu_x, acc mpu_r = %s) { mpu_r[0] %s "
                                    "*mpu_x; }",
                                    constants, init, type.kind == TYPE_BOOL ? "|=" : "+=");
    const struct kernel_decl decl = {.name = "mpu_begin",
                                     .form = "stage",
                                     .bytes = text,
                                     .size = strlen(text),
                                     .parameters = parameters,
                                     .parameter_count = 2,
                                     .otherwise = NO_INDEX};
    struct diag *quiet = diag_new(NULL, NULL);
    struct stage_kernel *k = stage_read(&decl, decl.name, quiet);
    for (const struct stage_param *q = k ? k->stages->params : NULL; q; q = q->next)
        if (q->role == STAGE_ACC)
            *value = q->value;
    bool fine = k != NULL;
    stage_free(k);
    diag_free(quiet);
    return fine;
}

bool pipeline_text_init(struct pipeline_text_adding *a, const struct pipeline_named *accumulator,
                        struct lane_type type, uint64_t *value) {
    const char *constants = pipeline_text_constants(a);
    return evaluate(a->t, type, constants ? constants : "",
                    pipeline_text_with_numbers(a, accumulator->init.text), value);
}

bool pipeline_text_begins(struct pipeline_text *text, const struct pipeline_given *given,
                          uint32_t parameter, uint64_t *value) {
    const struct kernel_parameter *p = &text->decl->parameters[parameter];
    for (size_t i = 0; i < text->stages.len; i++)
        for (size_t k = 0; k < text->stages.data[i].parameters.len; k++) {
            const struct pipeline_named *q = &text->stages.data[i].parameters.data[k];
            if (q->role != PIPELINE_REDUCE_OUT || !q->init.text ||
                strcmp(q->array.text, p->name) != 0 || given[parameter].direction & VAR_IN)
                continue;
            struct pipeline to = {.length = 0};
            struct pipeline_text_adding a = {text, given, NULL, 0, &to, NULL};
            bool fine = pipeline_text_init(&a, q, p->type, value);
            arena_free(&to.arena);
            return fine;
        }
    return false;
}
