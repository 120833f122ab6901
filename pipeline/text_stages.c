/* SPDX-License-Identifier: MIT
 * Stages of a text are added to a pipeline; what is wrong with them has its line of the text. */
#include "pipeline/text_adding.h"

#include "stage/stage.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

/* ---- numbers ---- */

/* One that is needed to know what the stage is: at least `least` where it is known. */
static bool need_number(struct pipeline_text_adding *a, const struct pipeline_piece *piece,
                        const char *what, uint64_t least, uint32_t *out) {
    uint64_t value;
    if (!pipeline_text_number(a->t, a->given, piece, what, PIPELINE_MAX_GROUP + 1u, &value,
                              a->fault))
        return false;
    if (value < least)
        return pipeline_text_wrong(a->t, piece->at, a->fault,
                                   "%s is %" PRIu64 ", and at least %" PRIu64, what, value, least);
    *out = (uint32_t)value;
    return true;
}

/* ---- arrays ---- */

struct found_array {
    struct lane_type type;
    void *key;
    uint64_t elements;
    uint8_t direction;
    bool local, known;
};

static bool find_array(struct pipeline_text_adding *a, const struct pipeline_piece *name,
                       struct found_array *out) {
    uint32_t i = pipeline_text_parameter(a->t, name->text);
    if (i != NO_INDEX && a->t->decl->parameters[i].kind == PARAMETER_BUFFER) {
        const struct pipeline_given *g = &a->given[i];
        *out = (struct found_array){
            a->t->decl->parameters[i].type, g->data, g->elements, g->direction, false, g->known};
        return true;
    }
    for (size_t k = 0; k < a->t->arrays.len; k++) {
        struct pipeline_local *x = &a->t->arrays.data[k];
        if (strcmp(x->name.text, name->text) != 0)
            continue;
        *out = (struct found_array){x->type, &x->key, PIPELINE_NO_ELEMENTS, 0, true, false};
        return true;
    }
    return pipeline_text_wrong(a->t, name->at, a->fault,
                               "there is no buffer and no array `%s`: `array %s: u32;` declares "
                               "one between stages",
                               name->text, name->text);
}

static bool find_buffer(struct pipeline_text_adding *a, const struct pipeline_piece *name,
                        const char *what, struct found_array *out) {
    return find_array(a, name, out) &&
           (!out->local || pipeline_text_wrong(a->t, name->at, a->fault,
                                               "%s is a buffer, and `%s` an array between stages",
                                               what, name->text));
}

/* Somebody has written what is read, and what is written may be. */
static bool may_be(struct pipeline_text_adding *a, const struct pipeline_named *q,
                   const struct found_array *x) {
    const char *name = q->array.text;
    bool reads =
        q->role == PIPELINE_INPUT || q->role == PIPELINE_INOUT || q->role == PIPELINE_SCALAR;
    if (reads && !(x->direction & VAR_IN) && pipeline_find_made(a->to, x->key) == NO_INDEX)
        return pipeline_text_wrong(
            a->t, q->array.at, a->fault,
            "nobody has written `%s`: a stage before makes it (`out %s`), or "
            "it is a `buffer in`",
            name, name);
    if (q->role != PIPELINE_INPUT && q->role != PIPELINE_SCALAR && x->direction == VAR_IN)
        return pipeline_text_wrong(a->t, q->array.at, a->fault,
                                   "`%s` only comes in, and the stage writes it: declare it "
                                   "`buffer %s`",
                                   name, q->role == PIPELINE_OUTPUT ? "out" : "inout");
    return true;
}

/* ---- arguments ---- */

static bool count_elements(struct pipeline_text_adding *a, const struct pipeline_named *q,
                           const struct found_array *x, struct pipeline_argument *out) {
    const bool all = q->role == PIPELINE_SCALAR;
    out->elements = all && x->known ? x->elements : 1;
    if (q->extent.text &&
        !pipeline_text_number(a->t, a->given, &q->extent, "the number of elements",
                              PIPELINE_MAX_LENGTH, &out->elements, a->fault))
        return false;
    if (!x->known || out->elements <= x->elements)
        return true;
    return pipeline_text_wrong(a->t, q->extent.at, a->fault,
                               "`%s` has %" PRIu64 " elements, and the stage works on %" PRIu64,
                               q->array.text, x->elements, out->elements);
}

static bool argument(struct pipeline_text_adding *a, const struct pipeline_named *q,
                     uint32_t overlap, struct pipeline_argument *out) {
    struct found_array x, tail;
    const bool common = q->role == PIPELINE_SCALAR || q->role == PIPELINE_REDUCE_OUT;
    if (common ? !find_buffer(a, &q->array, "what all units see", &x)
               : !find_array(a, &q->array, &x))
        return false;
    if (!may_be(a, q, &x))
        return false;
    *out = (struct pipeline_argument){.role = q->role, .type = x.type, .key = x.key};
    out->name = q->array.text;
    out->elements = x.known || x.local ? x.elements : 0;
    if (common && !count_elements(a, q, &x, out))
        return false;
    if (!q->tail.text)
        return true;
    if (!find_buffer(a, &q->tail, "a tail", &tail))
        return false;
    if (!(tail.direction & VAR_IN))
        return pipeline_text_wrong(a->t, q->tail.at, a->fault,
                                   "nobody has written `%s`, which goes on behind `%s`: make it a "
                                   "`buffer in`",
                                   q->tail.text, q->array.text);
    if (tail.type.kind != x.type.kind || tail.type.bits != x.type.bits)
        return pipeline_text_wrong(a->t, q->tail.at, a->fault,
                                   "`%s` goes on behind `%s`, and has another type", q->tail.text,
                                   q->array.text);
    out->tail = tail.key;
    out->tail_elements = tail.known ? tail.elements : overlap;
    return true;
}

static const char *name_in_body(const struct pipeline_named *q) {
    return q->as.text ? q->as.text : q->array.text;
}

static void swap(struct pipeline_named *q, size_t from, size_t to) {
    struct pipeline_named x = q[from];
    memmove(&q[to + 1], &q[to], (from - to) * sizeof *q);
    q[to] = x;
}

/* Of a filter: what is kept comes first, and behind it what it is of. */
static bool in_order(struct pipeline_text_adding *a, const struct pipeline_written *s,
                     struct pipeline_named *q) {
    const size_t n = s->parameters.len;
    const bool filters = pipeline_filters(s->pattern);
    size_t out = n, from = n;
    for (size_t i = 0; i < n; i++) {
        if (q[i].from.text && !filters)
            return pipeline_text_wrong(a->t, q[i].from.at, a->fault,
                                       "`from` says what a filter keeps, and this is a %s",
                                       pipeline_pattern_name(s->pattern));
        if (q[i].role == PIPELINE_OUTPUT || q[i].role == PIPELINE_INOUT)
            out = out == n ? i : out;
    }
    if (!filters || out == n)
        return true;
    if (q[out].role == PIPELINE_OUTPUT && !q[out].from.text)
        return pipeline_text_wrong(a->t, q[out].array.at, a->fault,
                                   "`out %s from ..` says of which input a filter keeps elements",
                                   q[out].array.text);
    swap(q, out, 0);
    if (q[0].role == PIPELINE_INOUT)
        return true;
    for (size_t i = 1; i < n; i++)
        if (q[i].role == PIPELINE_INPUT && strcmp(name_in_body(&q[i]), q[0].from.text) == 0)
            from = i;
    if (from == n)
        return pipeline_text_wrong(a->t, q[0].from.at, a->fault, "the filter has no input `%s`",
                                   q[0].from.text);
    swap(q, from, 1);
    return true;
}

/* ---- functions ---- */

/* `[](u32 *c, u32 *a) { .. }`, as the other front ends have it. */
static const char *function_of(struct pipeline_text_adding *a, const struct pipeline_written *s,
                               const struct pipeline_named *q,
                               const struct pipeline_argument *arguments) {
    struct str text = {0};
    const char *comma = "";
    str_append(&text, "[](");
    for (size_t i = 0; i < s->parameters.len; i++) {
        char type[8];
        if (q[i].role == PIPELINE_OUTPUT && pipeline_filters(s->pattern))
            continue;
        object_type_text(arguments[i].type, type);
        str_printf(&text, "%s%s *%s", comma, type, name_in_body(&q[i]));
        comma = ", ";
    }
    str_printf(&text, ") {%s}", pipeline_text_with_numbers(a, s->body.text));
    const char *made = arena_strdup(&a->t->arena, str_text(&text));
    str_free(&text);
    return made;
}

static const char *combine_of(struct pipeline_text_adding *a, const struct pipeline_written *s,
                              const struct pipeline_named *q,
                              const struct pipeline_argument *arguments, const char **init) {
    *init = NULL;
    for (size_t i = 0; s->combine.text && i < s->parameters.len; i++) {
        char type[8];
        if (q[i].role != PIPELINE_REDUCE_OUT)
            continue;
        object_type_text(arguments[i].type, type);
        *init = q[i].init.text ? pipeline_text_with_numbers(a, q[i].init.text) : NULL;
        return arena_printf(&a->t->arena, "[](%s *%s, %s *%s) {%s}", type, name_in_body(&q[i]),
                            type, s->other.text, pipeline_text_with_numbers(a, s->combine.text));
    }
    return NULL;
}

/* ---- what is wrong with a stage ---- */

struct heard {
    struct pipeline_text_adding *a;
    const struct pipeline_written *stage;
};

static uint32_t lines_in(const char *text) {
    uint32_t n = 0;
    for (; *text; text++)
        n += *text == '\n';
    return n;
}

/* A byte of a piece, from a line and column of it. */
static size_t place_in(const struct pipeline_piece *p, uint32_t line, uint32_t column) {
    const char *at = p->text;
    while (line-- > 0 && strchr(at, '\n'))
        at = strchr(at, '\n') + 1;
    size_t behind = strcspn(at, "\n");
    /* Names in the text that was read may be longer than those here. */
    size_t in_line = column && column - 1 < behind ? column - 1 : strspn(at, " \t");
    return p->at + (size_t)(at - p->text) + in_line;
}

/* The text that was read has its length in the first line, constants, the stage's head, and the
 * body behind that line (pipeline_check_stage). */
static void hear(void *context, const struct diag *diag, const struct message *message) {
    const struct heard *h = context;
    const struct pipeline_written *s = h->stage;
    const struct pipeline_text *t = h->a->t;
    struct portable_fault *fault = h->a->fault;
    uint32_t line = 0, column = 0;
    if (fault->what.len || message->severity != SEVERITY_ERROR)
        return;
    if (message->at.source)
        diag_position(diag, message->at, &line, &column);
    const uint32_t first = 3 + lines_in(str_text(&h->a->to->constants));
    const uint32_t behind = first + lines_in(s->body.text) + 2;
    size_t at = s->at;
    if (line >= first && line < behind - 1)
        at = place_in(&s->body, line - first, column);
    else if (line >= behind && s->combine.text)
        at = place_in(&s->combine, line - behind, column);
    pipeline_text_wrong(t, at, fault, "%s", message->text);
    for (size_t i = 0; i < message->note_count; i++)
        str_printf(&fault->what, "; %s", message->notes[i].text);
}

/* ---- stages ---- */

static uint32_t line_of(const struct pipeline_text *t, size_t at) {
    uint32_t line = 0;
    for (size_t i = 0; i < at; i++)
        line += t->bytes[i] == '\n';
    return line;
}

static bool sizes(struct pipeline_text_adding *a, const struct pipeline_written *s,
                  uint32_t *overlap, uint32_t *group) {
    *overlap = *group = 0;
    if (s->group.text && !need_number(a, &s->group, "a group's number of elements", 1, group))
        return false;
    if (!s->window.text)
        return true;
    if (!need_number(a, &s->window,
                     s->group.text ? "what a window sees beyond a group"
                                   : "a window's number of elements",
                     s->group.text ? 1 : 2, overlap))
        return false;
    *overlap -= !s->group.text;
    return true;
}

static bool check_inits(struct pipeline_text_adding *a, const struct pipeline_written *s) {
    for (size_t i = 0; i < s->parameters.len; i++) {
        const struct pipeline_named *q = &s->parameters.data[i];
        struct found_array x;
        uint64_t value;
        if (!q->init.text || s->combine.text || !find_array(a, &q->array, &x))
            continue;
        if (x.direction & VAR_IN)
            return pipeline_text_wrong(
                a->t, q->init.at, a->fault,
                "`%s` begins with what its buffer holds, or with `= %s`: make it a `buffer out`, or "
                "leave this out",
                q->array.text, q->init.text);
        if (!pipeline_text_init(a, q, x.type, &value))
            return pipeline_text_wrong(a->t, q->init.at, a->fault,
                                       "`%s` begins with a constant of its type, and `%s` is none",
                                       q->array.text, q->init.text);
    }
    return !a->fault->what.len;
}

static bool add_stage(struct pipeline_text_adding *a, const struct pipeline_written *s) {
    const size_t n = s->parameters.len;
    struct arena *arena = &a->t->arena;
    struct pipeline_named *q = ARENA_ARRAY(arena, n + 1, struct pipeline_named);
    struct pipeline_argument *arguments = ARENA_ARRAY(arena, n + 1, struct pipeline_argument);
    struct pipeline_request request = {.pattern = s->pattern, .arguments = arguments, .count = n};
    if (n)
        memcpy(q, s->parameters.data, n * sizeof *q);
    if (!sizes(a, s, &request.overlap, &request.group) || !in_order(a, s, q))
        return false;
    for (size_t i = 0; i < n; i++)
        if (!argument(a, &q[i], request.overlap, &arguments[i]))
            return false;
    if (!check_inits(a, s))
        return false;
    request.function = function_of(a, s, q, arguments);
    request.combine = combine_of(a, s, q, arguments, &request.init);
    request.file = a->file;
    request.line = a->first_line + line_of(a->t, s->at);
    struct heard h = {a, s};
    struct diag *diag = diag_new(hear, &h);
    bool fine = pipeline_add(a->to, &request, diag);
    diag_free(diag);
    return fine;
}

/* ---- all ---- */

static bool check_count(struct pipeline_text_adding *a, const struct pipeline_written *s) {
    const struct pipeline_named *kept = pipeline_text_kept(s);
    struct found_array x, made;
    if (!s->count.text)
        return true;
    if (!pipeline_filters(s->pattern))
        return pipeline_text_wrong(a->t, s->count.at, a->fault,
                                   "`count` says how many a filter has kept, and this is a %s",
                                   pipeline_pattern_name(s->pattern));
    if (!kept || !find_array(a, &kept->array, &made) || !find_buffer(a, &s->count, "a count", &x))
        return false;
    if (!stage_is_integer(x.type) || x.direction != VAR_OUT)
        return pipeline_text_wrong(a->t, s->count.at, a->fault,
                                   "`%s` is a `buffer out` of one integer, for how many are kept",
                                   s->count.text);
    if (!(made.direction & VAR_OUT))
        return pipeline_text_wrong(a->t, s->count.at, a->fault,
                                   "how many of `%s` there are is known where it comes back: make "
                                   "it a `buffer out`",
                                   kept->array.text);
    return true;
}

static bool is_count(const struct pipeline_text *t, const char *name) {
    for (size_t i = 0; i < t->stages.len; i++)
        if (t->stages.data[i].count.text && strcmp(t->stages.data[i].count.text, name) == 0)
            return true;
    return false;
}

static bool fetch_all(struct pipeline_text_adding *a) {
    for (uint32_t i = 0; i < a->t->decl->parameter_count; i++) {
        const struct kernel_parameter *p = &a->t->decl->parameters[i];
        if (p->kind != PARAMETER_BUFFER || !(a->given[i].direction & VAR_OUT) ||
            is_count(a->t, p->name))
            continue;
        struct diag *quiet = diag_new(NULL, NULL);
        bool fine = pipeline_fetch(a->to, a->given[i].data, quiet);
        diag_free(quiet);
        if (!fine)
            return pipeline_text_wrong(a->t, 0, a->fault,
                                       "no stage makes or changes buffer `%s`, which comes out: "
                                       "name it as `out`, `inout` or `acc`, or make it a `buffer "
                                       "in`",
                                       p->name);
    }
    return true;
}

bool pipeline_text_add(struct pipeline_text *text, const struct pipeline_given *given,
                       const char *file, uint32_t first_line, struct pipeline *to,
                       struct portable_fault *fault) {
    struct pipeline_text_adding a = {text, given, file, first_line, to, fault};
    const char *constants = pipeline_text_constants(&a);
    if (constants)
        str_printf(&to->constants, "%s\n", constants);
    for (size_t i = 0; i < text->stages.len; i++)
        if (!add_stage(&a, &text->stages.data[i]) || !check_count(&a, &text->stages.data[i]))
            return false;
    return fetch_all(&a);
}
