/* SPDX-License-Identifier: MIT
 * launch f(x, y, n); of a stage kernel, without `else`: it is written here, and so are variables
 * that stand for the buffers where the program declares none. */
#include "ezpim/ez/check_decl.h"
#include "ezpim/ez/check_kernel.h"
#include "ezpim/ez/parser.h"
#include "ezpim/ez/walk.h"
#include "ezpim/stage/otherwise.h"

#include <inttypes.h>
#include <string.h>

/* An `else` that joins the program when all are written. */
struct ez_written {
    struct ez_written *next;
    struct stmt *launch;
    const char *name, *declarations, *statements;
    const struct stage_mark *marks; /* [mark_count] */
    size_t mark_count;
    struct span text;      /* of the kernel */
    uint32_t source, base; /* of what was written; where the statements begin there */
};
struct else_writing {
    struct checker *checker;
    const char *stem;                  /* names of what is written begin so, and no others */
    struct str declarations;           /* groups and variables that stand for buffers */
    struct stage_stand_in *stand_ins;  /* [buffers] name NULL: not yet */
    VEC(struct stage_stand_in) groups; /* those that were made, by extent */
    struct ez_written *first, **end;
    uint32_t launches;
    bool inner; /* the first launch is not carried out once and before all others */
};

static const char *kept(struct else_writing *w, struct str *text) {
    const char *made = arena_strdup(&w->checker->u->arena, str_text(text));
    str_free(text);
    return made;
}

static bool some_begin_with(const struct map *names, const struct str *stem) {
    for (size_t i = 0; i < names->len; i++)
        if (strncmp(names->entries[i].key, str_text(stem), stem->len) == 0)
            return true;
    return false;
}

/* "else", or with so many underscores that the program has no names that begin so. */
static const char *free_stem(struct else_writing *w) {
    const struct ez_unit *u = w->checker->u;
    struct str stem = {0};
    str_append(&stem, "else");
    while (some_begin_with(&u->names, &stem) || some_begin_with(&u->buffer_names, &stem))
        str_char(&stem, '_');
    return kept(w, &stem);
}

/* ---- stand-ins ---- */

static const char *extent_text(struct else_writing *w, const struct extent *extent) {
    struct str text = {0};
    if (extent->size == NO_INDEX)
        str_printf(&text, "%" PRIu64, extent->value);
    else
        str_append(&text, w->checker->u->sizes.items.data[extent->size]->name.text);
    return kept(w, &text);
}

/* The text of the buffer's extent as the program has it; NULL: a file of kernels declares it. */
static const char *written_extent(struct else_writing *w, const char *buffer) {
    for (const struct decl *d = w->checker->u->tree->decls; d; d = d->next) {
        if (d->kind != DECL_BUFFER || strcmp(d->names[0].text, buffer) != 0 || d->buffer)
            continue;
        struct span at = d->extents.items[0]->at;
        size_t size;
        const char *all = diag_source_text(w->checker->u->diag, at.source, &size);
        return arena_copy(&w->checker->u->arena, all + at.begin, at.end - at.begin);
    }
    return NULL;
}

static const char *group_for(struct else_writing *w, const struct extent *extent,
                             const char *text) {
    for (size_t i = 0; i < w->groups.len; i++)
        if (w->groups.data[i].extent.size == extent->size &&
            w->groups.data[i].extent.value == extent->value)
            return w->groups.data[i].group;
    struct str name = {0};
    str_printf(&name, "%s_group%zu", w->stem, w->groups.len);
    struct stage_stand_in made = {.extent = *extent};
    made.group = kept(w, &name);
    str_printf(&w->declarations, "group %s[%s];\n", made.group, text);
    vec_push(&w->groups, made);
    return made.group;
}

static bool own_stand_in(const struct ez_symbol *symbol, struct stage_stand_in *out) {
    const struct ez_symbol *g = symbol->var.group;
    if (g && (g->layout.ndim != 1 || symbol->has_k))
        return false;
    out->group = g ? g->name.text : NULL;
    out->registers = !g && symbol->has_k ? symbol->count : 0;
    if (g)
        out->extent = g->layout.extents[0];
    return true;
}

static bool make_stand_in(struct else_writing *w, const struct buffer_decl *b,
                          struct stage_stand_in *out) {
    static const char *const words[] = {"var", "in", "out", "inout"};
    char type[8];
    const char *text = b->ndim ? written_extent(w, b->name) : NULL;
    if (b->ndim > 1)
        return false;
    if (b->ndim) {
        out->extent = b->shape[0];
        out->group = group_for(w, &b->shape[0], text ? text : extent_text(w, &b->shape[0]));
    }
    object_type_text(b->type, type);
    unsigned direction = (b->direction & VAR_IN ? 1u : 0) | (b->direction & VAR_OUT ? 2u : 0);
    str_printf(&w->declarations, "%s %s: %s", words[direction], b->name, type);
    str_printf(&w->declarations, out->group ? " @ %s;\n" : ";\n", out->group);
    return true;
}

/* NULL: nothing of one dimension can stand for it. */
static struct stage_stand_in *stand_in(struct else_writing *w, uint32_t buffer) {
    struct stage_stand_in *out = &w->stand_ins[buffer];
    const struct buffer_decl *b = &w->checker->u->buffers.data[buffer].decl;
    const struct ez_symbol *symbol = ez_unit_find(w->checker->u, b->name);
    if (out->name)
        return out;
    struct stage_stand_in made = {.name = b->name};
    if (symbol && symbol->kind == SYMBOL_EZ_VARIABLE ? !own_stand_in(symbol, &made)
                                                     : !make_stand_in(w, b, &made))
        return NULL;
    *out = made;
    return out;
}

/* ---- what a launch gives ---- */

/* Sizes and constants of the program alone, whose values do not change from lap to lap. */
static bool is_known(const struct else_writing *w, const struct expr *e) {
    if (e->kind == EXPR_NAME) {
        const struct ez_symbol *s = ez_unit_find(w->checker->u, e->name.text);
        return s && (s->kind == SYMBOL_EZ_SIZE || s->kind == SYMBOL_EZ_CONST);
    }
    for (uint32_t i = 0; i < e->arg_count; i++)
        if (!is_known(w, e->args[i]))
            return false;
    return e->kind != EXPR_LIST && e->kind != EXPR_INDEX;
}

/* min and max are what formulas of sizes call. */
static bool is_formula(const struct expr *e) {
    for (uint32_t i = 0; i < e->arg_count; i++)
        if (!is_formula(e->args[i]))
            return false;
    return e->kind != EXPR_CALL || strcmp(e->name.text, "min") == 0 ||
           strcmp(e->name.text, "max") == 0;
}

static bool give_number(struct else_writing *w, const struct expr *operand, struct lane_type type,
                        struct stage_given *out) {
    struct ez_unit *u = w->checker->u;
    uint64_t room = UINT32_MAX;
    size_t size;
    struct str text = {0};
    if (!is_known(w, operand))
        return false;
    struct expr *e = ez_clone_expr(&u->arena, operand, &room);
    ez_check_expr(w->checker, e);
    if (e->type.state == STATE_ERROR)
        return false;
    out->extent = (struct extent){NO_INDEX, 0};
    if (e->is_constant && !e->type.real && !object_type_is_float(type)) {
        uint64_t value = stage_normal(type, (uint64_t)e->value);
        out->constant = true;
        out->extent.value = value;
        str_printf(&text, type.kind == TYPE_INT ? "%" PRId64 : "%" PRIu64, value);
    } else if (!object_type_is_float(type) && !is_formula(operand)) {
        return false;
    } else {
        const char *all = diag_source_text(u->diag, operand->at.source, &size);
        if (e->kind == EXPR_NAME && e->symbol && e->symbol->kind == SYMBOL_EZ_SIZE)
            out->extent.size = e->symbol->index;
        str_char(&text, '(');
        str_append_n(&text, all + operand->at.begin, operand->at.end - operand->at.begin);
        str_char(&text, ')');
    }
    out->text = kept(w, &text);
    return true;
}

static bool give_buffer(struct else_writing *w, const struct expr *operand,
                        struct stage_given *out) {
    const uint64_t *known = operand->kind == EXPR_NAME
                                ? map_get(&w->checker->u->buffer_names, operand->name.text)
                                : NULL;
    out->buffer = known ? stand_in(w, (uint32_t)*known) : NULL;
    return out->buffer != NULL;
}

static bool give(struct else_writing *w, const struct stmt *launch,
                 const struct kernel_decl *kernel, struct stage_given *given, struct str *why) {
    for (uint32_t i = 0; i < kernel->parameter_count; i++) {
        const struct kernel_parameter *q = &kernel->parameters[i];
        const struct expr *operand = launch->operands[i];
        if (q->kind == PARAMETER_NUMBER ? give_number(w, operand, q->type, &given[i])
                                        : give_buffer(w, operand, &given[i]))
            continue;
        str_printf(why,
                   q->kind == PARAMETER_NUMBER
                       ? "what '%s' gets is not known for all of the program"
                       : "what '%s' gets is not a whole buffer of one dimension",
                   q->name);
        return false;
    }
    return true;
}

/* ---- texts ---- */

/* Declarations join the program; what stands in `main` is returned. */
static struct stmt *take_in(struct else_writing *w, struct ez_written *x, const struct str *text) {
    struct ez_unit *u = w->checker->u;
    struct stmt *body = NULL;
    bool broken = false;
    x->source = diag_source(u->diag, x->name, str_text(text), text->len);
    diag_set_quiet(u->diag, x->source);
    struct ez_program *p = ez_parse(&u->arena, u->diag, x->source, &broken);
    for (struct decl *next, *d = p->decls; d && !broken; d = next) {
        next = d->next;
        d->included = true;
        if (d->kind == DECL_MAIN)
            body = d->body;
        else
            ez_check_decl(w->checker, d);
    }
    return body;
}

/* What a buffer holds before anything is written, where some elements keep it. */
static void put_zeros(struct else_writing *w, struct str *out) {
    struct ez_unit *u = w->checker->u;
    for (size_t i = 0; i < u->buffers.len; i++) {
        const struct stage_stand_in *s = &w->stand_ins[i];
        struct lane_type type = u->buffers.data[i].decl.type;
        const char *zero = type.kind == TYPE_BOOL ? "false" : "0";
        if (!s->name || !s->keeps || (u->buffers.data[i].decl.direction & VAR_IN))
            continue;
        if (s->group)
            str_printf(out, "compute %s { %s = %s; }\n", s->group, s->name, zero);
        else
            for (uint32_t k = 0; k < (s->registers ? s->registers : 1); k++)
                str_printf(out, s->registers ? "%s[%u] = 0;\n" : "%s = 0;\n", s->name, (unsigned)k);
    }
}

/* What is wrong with a text, where it stands in the program. */
struct mistakes {
    struct checker *checker;
    const struct ez_kernel *kernel;
};

static struct span in_program(const struct mistakes *m, struct span at) {
    const struct span text = m->kernel->at;
    return at.source ? (struct span){text.source, text.begin + at.begin, text.begin + at.end}
                     : m->kernel->name.at;
}

static void tell(void *context, const struct diag *diag, const struct message *message) {
    const struct mistakes *m = context;
    struct diag *to = m->checker->u->diag;
    (void)diag;
    diag_error(to, in_program(m, message->at), "kernel '%s': %s", m->kernel->decl.name,
               message->text);
    for (size_t i = 0; i < message->note_count; i++)
        diag_note(to, in_program(m, message->notes[i].at), "%s", message->notes[i].text);
}

/* NULL after reporting. */
static struct stage_kernel *read_kernel(struct else_writing *w, const struct ez_kernel *kernel) {
    struct mistakes m = {w->checker, kernel};
    struct diag *own = diag_new(tell, &m);
    struct stage_kernel *k = stage_read(&kernel->decl, kernel->decl.name, own);
    diag_free(own);
    return k;
}

static void warn(struct else_writing *w, const struct stmt *launch, const struct ez_kernel *kernel,
                 const char *why) {
    diag_warning(
        w->checker->u->diag, W_ELSE, launch->at,
        "`%s` is not launched where a target does not know its form, and has no `else`: %s",
        kernel->decl.name, why);
}

static void write_one(struct else_writing *w, struct stmt *launch, const struct ez_kernel *kernel,
                      const struct stage_kernel *stages) {
    struct ez_unit *u = w->checker->u;
    uint32_t line, column;
    struct str prefix = {0}, name = {0}, why = {0};
    diag_position(u->diag, kernel->at, &line, &column);
    str_printf(&prefix, "%s%u_", w->stem, (unsigned)w->launches++);
    struct stage_given *given =
        ARENA_ARRAY(&u->arena, kernel->decl.parameter_count + 1, struct stage_given);
    memset(given, 0, (kernel->decl.parameter_count + 1) * sizeof *given);
    const char *file = diag_source_name(u->diag, kernel->at.source);
    struct stage_otherwise o = {.kernel = stages,
                                .given = given,
                                .prefix = kept(w, &prefix),
                                .file = file ? file : "",
                                .first_line = line ? line : 1};
    if (!give(w, launch, &kernel->decl, given, &why)) {
        warn(w, launch, kernel, str_text(&why));
    } else if (!stage_write_otherwise(&o)) {
        warn(w, launch, kernel, str_text(&o.why));
    } else {
        str_printf(&name, "%s: `else` of kernel '%s'", o.file, kernel->decl.name);
        struct ez_written *x = ARENA_NEW(&u->arena, struct ez_written);
        *x = (struct ez_written){.launch = launch,
                                 .name = arena_strdup(&u->arena, str_text(&name)),
                                 .declarations = arena_strdup(&u->arena, str_text(&o.declarations)),
                                 .statements = arena_strdup(&u->arena, str_text(&o.statements)),
                                 .mark_count = o.marks.len,
                                 .text = kernel->at};
        struct stage_mark *marks = ARENA_ARRAY(&u->arena, o.marks.len + 1, struct stage_mark);
        if (o.marks.len)
            memcpy(marks, o.marks.data, o.marks.len * sizeof *marks);
        x->marks = marks;
        *w->end = x;
        w->end = &x->next;
    }
    str_free(&o.declarations);
    str_free(&o.statements);
    str_free(&o.why);
    vec_free(&o.marks);
    str_free(&name);
    str_free(&why);
}

static void join_all(struct else_writing *w) {
    for (struct ez_written *x = w->first; x; x = x->next) {
        struct str text = {0};
        bool first = x == w->first;
        str_printf(&text, "%s%smain {\n", first ? str_text(&w->declarations) : "", x->declarations);
        if (first && !w->inner)
            put_zeros(w, &text);
        x->base = (uint32_t)text.len;
        str_printf(&text, "%s}\n", x->statements);
        x->launch->otherwise = take_in(w, x, &text);
        x->launch->has_else = true;
        str_free(&text);
    }
}

static void write_launch(struct else_writing *w, struct stmt *launch) {
    struct ez_unit *u = w->checker->u;
    const uint64_t *known = map_get(&u->kernel_names, launch->name.text);
    const struct ez_kernel *kernel = known ? &u->kernels.data[*known] : NULL;
    if (!kernel || strcmp(kernel->decl.form, "stage") != 0 || kernel->decl.entry ||
        launch->operand_count != kernel->decl.parameter_count || launch->has_else)
        return;
    struct stage_kernel *stages = read_kernel(w, kernel);
    if (stages)
        write_one(w, launch, kernel, stages);
    stage_free(stages);
}

static void write_all(struct else_writing *w, struct stmt *stmt, bool inner) {
    for (; stmt; stmt = stmt->next) {
        if (stmt->kind == STMT_LAUNCH) {
            w->inner |= inner && !w->launches;
            write_launch(w, stmt);
            continue;
        }
        write_all(w, stmt->body, true);
        write_all(w, stmt->otherwise, true);
    }
}

void ez_write_otherwise(struct checker *checker) {
    struct ez_unit *u = checker->u;
    struct else_writing w = {.checker = checker};
    w.end = &w.first;
    if (!u->main || diag_errors(u->diag) != u->errors_before)
        return;
    w.stand_ins = ARENA_ARRAY(&u->arena, u->buffers.len + 1, struct stage_stand_in);
    memset(w.stand_ins, 0, (u->buffers.len + 1) * sizeof *w.stand_ins);
    w.stem = free_stem(&w);
    write_all(&w, u->main->body, false);
    if (diag_errors(u->diag) == u->errors_before)
        join_all(&w);
    checker->written = w.first;
    str_free(&w.declarations);
    vec_free(&w.groups);
}

/* ---- places ---- */

static void place(const struct ez_written *x, struct span *at) {
    size_t low = 0, high = x->mark_count;
    if (at->source != x->source)
        return;
    while (low < high) { /* the first mark behind it */
        size_t middle = (low + high) / 2;
        if (x->marks[middle].byte + x->base <= at->begin)
            low = middle + 1;
        else
            high = middle;
    }
    const struct span from = low ? x->marks[low - 1].at : (struct span){0, 0, 0};
    *at = (struct span){x->text.source, x->text.begin + from.begin, x->text.begin + from.end};
}

static void place_stmt(void *context, struct stmt *s) {
    place(context, &s->at);
    place(context, &s->word);
}

static void place_expr(void *context, struct expr *e) {
    place(context, &e->at);
}

void ez_place_otherwise(struct checker *checker) {
    for (struct ez_written *x = checker->written; x; x = x->next) {
        const struct walker w = {x, place_stmt, place_expr};
        ez_walk_stmts(&w, x->launch->otherwise);
    }
}
