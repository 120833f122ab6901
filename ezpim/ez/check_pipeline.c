/* SPDX-License-Identifier: MIT
 * pipeline f { .. }: a program of its own, without `main`.  It becomes a kernel of form `pipeline`,
 * with the buffers, sizes and constants that its text names, and a main that launches it. */
#include "ezpim/ez/check_kernel.h"

#include "pipeline/text.h"

#include <string.h>

void ez_decl_pipeline(struct checker *checker, struct decl *decl) {
    struct ez_unit *u = checker->u;
    if (!u->pipeline) {
        u->pipeline = decl;
        return;
    }
    diag_error(u->diag, decl->word, "a program has one pipeline");
    diag_note(u->diag, u->pipeline->word,
              "the first one is here: several are programs of their own, or one with `full;`");
}

/* ---- what it is called with ---- */

struct called_with {
    struct checker *checker;
    const char *text;
    VEC(struct kernel_parameter) list;
    VEC(struct pipeline_given) given;
    VEC(struct expr *) arguments;
};

static void add(struct called_with *p, const char *name, struct span at, enum parameter_kind kind,
                struct lane_type type, struct pipeline_given given) {
    struct expr *e = ARENA_NEW(&p->checker->u->arena, struct expr);
    *e = (struct expr){.kind = EXPR_NAME, .at = at, .height = 1, .name = {name, at}};
    vec_push(&p->list, ((struct kernel_parameter){.name = name, .kind = kind, .type = type}));
    vec_push(&p->given, given);
    vec_push(&p->arguments, e);
}

static void add_buffers(struct called_with *p, struct span at) {
    struct ez_unit *u = p->checker->u;
    for (size_t i = 0; i < u->buffers.len; i++) {
        const struct buffer_decl *b = &u->buffers.data[i].decl;
        if (pipeline_has_word(p->text, b->name))
            add(p, b->name, at, PARAMETER_BUFFER, b->type,
                (struct pipeline_given){.data = &u->buffers.data[i], .direction = b->direction});
        else if (b->direction & VAR_OUT)
            diag_error(u->diag, u->buffers.data[i].name.at,
                       "buffer `%s` comes out, and no stage of the pipeline makes it", b->name);
    }
}

/* Integers that are known, or will be. */
static void add_numbers(struct called_with *p, const struct ez_symbols *list, struct span at) {
    for (size_t i = 0; i < list->items.len; i++) {
        struct ez_symbol *s = list->items.data[i];
        const bool size = s->kind == SYMBOL_EZ_SIZE, typed = s->type.state == STATE_TYPED;
        if ((!size && s->kind != SYMBOL_EZ_CONST) || (s->has_k && !size) || s->real ||
            !pipeline_has_word(p->text, s->name.text))
            continue;
        struct lane_type type = {!size && s->value < 0 ? TYPE_INT : TYPE_UINT, 64};
        if (!size && typed)
            type = s->type.type;
        s->read = true;
        add(p, s->name.text, at, PARAMETER_NUMBER, type,
            (struct pipeline_given){.known = !size, .number = size ? 0 : (uint64_t)s->value});
    }
}

/* ---- its text ---- */

static void report(struct checker *checker, struct span text, const char *bytes,
                   const struct portable_fault *fault, const struct decl *decl) {
    const char *at = bytes;
    for (uint32_t line = 1; line < fault->line; line++)
        at = strchr(at, '\n') ? strchr(at, '\n') + 1 : at;
    text.begin += (uint32_t)(at - bytes) + (fault->column ? fault->column - 1 : 0);
    text.end = text.begin + 1;
    diag_error(checker->u->diag, fault->line ? text : decl->names[0].at, "pipeline `%s`: %s",
               decl->names[0].text, str_text(&fault->what));
}

/* All that does not follow from sizes. */
static bool check_text(struct checker *checker, const struct decl *decl,
                       const struct kernel_decl *kernel, const struct called_with *p,
                       struct span text) {
    struct portable_fault fault = {.line = 0};
    struct pipeline_text *t = pipeline_text_read(kernel, &fault);
    bool fine = t != NULL;
    if (t) {
        struct pipeline stages;
        pipeline_init(&stages, 0);
        stages.full = t->full;
        fine = pipeline_text_add(t, p->given.data, NULL, 0, &stages, &fault);
        pipeline_free(&stages);
    }
    if (!fine)
        report(checker, text, kernel->bytes, &fault, decl);
    pipeline_text_free(t);
    str_free(&fault.what);
    return fine;
}

/* ---- the program ---- */

static bool stands_alone(struct checker *checker, const struct decl *decl) {
    struct ez_unit *u = checker->u;
    const struct ez_symbols *others[] = {&u->groups, &u->variables, &u->subs};
    struct span at = u->main ? u->main->word : NO_SPAN;
    for (size_t i = 0; i < 3 && !at.source; i++)
        if (others[i]->items.len)
            at = others[i]->items.data[0]->name.at;
    if (!at.source && u->kernels.len)
        at = u->kernels.data[0].name.at;
    if (!at.source)
        return true;
    diag_error(
        u->diag, at,
        "a program with a pipeline has sizes, constants and buffers beside it, and no `main`, "
        "groups, variables, subroutines or kernels");
    diag_note(u->diag, decl->word, "the pipeline is here: it is all of the program");
    return false;
}

static struct decl *make_main(struct checker *checker, const struct decl *decl,
                              const struct called_with *p) {
    struct arena *arena = &checker->u->arena;
    struct decl *main = ARENA_NEW(arena, struct decl);
    struct stmt *launch = ARENA_NEW(arena, struct stmt);
    struct expr **operands = ARENA_ARRAY(arena, p->arguments.len + 1, struct expr *);
    if (p->arguments.len)
        memcpy(operands, p->arguments.data, p->arguments.len * sizeof *operands);
    *launch = (struct stmt){.kind = STMT_LAUNCH,
                            .at = decl->word,
                            .word = decl->word,
                            .name = decl->names[0],
                            .operands = operands,
                            .operand_count = (uint32_t)p->arguments.len};
    *main = (struct decl){.kind = DECL_MAIN, .at = decl->at, .word = decl->word, .body = launch};
    return main;
}

/* The text, and that stages are not fused where the command line says so. */
static const char *text_of(struct checker *checker, const struct decl *decl, struct span *at) {
    const char *from = decl->own.bytes;
    size_t size = decl->own.size;
    *at = (struct span){decl->own.source, 0, 0};
    if (!from) {
        size_t all;
        *at = decl->own.at;
        size = at->end - at->begin;
        from = diag_source_text(checker->u->diag, at->source, &all) + at->begin;
    }
    const char *copy = arena_strndup(&checker->u->arena, from, size);
    return checker->u->no_fuse ? arena_printf(&checker->u->arena, "%s no_fuse;", copy) : copy;
}

void ez_check_pipeline(struct checker *checker) {
    struct ez_unit *u = checker->u;
    struct decl *decl = u->pipeline;
    if (!decl || diag_errors(u->diag) != u->errors_before || !stands_alone(checker, decl))
        return;
    struct ez_kernel k = {.name = decl->names[0], .used = true};
    struct called_with p = {.checker = checker, .text = text_of(checker, decl, &k.at)};
    add_buffers(&p, decl->names[0].at);
    add_numbers(&p, &u->sizes, decl->names[0].at);
    add_numbers(&p, &u->others, decl->names[0].at);
    struct kernel_parameter *list = ARENA_ARRAY(&u->arena, p.list.len + 1, struct kernel_parameter);
    if (p.list.len)
        memcpy(list, p.list.data, p.list.len * sizeof *list);
    k.decl = (struct kernel_decl){.name = decl->names[0].text,
                                  .form = PIPELINE_FORM,
                                  .bytes = p.text,
                                  .size = strlen(p.text),
                                  .parameters = list,
                                  .parameter_count = (uint32_t)p.list.len,
                                  .otherwise = NO_INDEX};
    const char *problem = object_kernel_problem(&k.decl);
    if (problem)
        diag_error(u->diag, k.name.at, "pipeline `%s` %s", k.name.text, problem);
    else if (check_text(checker, decl, &k.decl, &p, k.at)) {
        map_put(&u->kernel_names, k.name.text, u->kernels.len);
        vec_push(&u->kernels, k);
        u->main = make_main(checker, decl, &p);
    }
    vec_free(&p.list);
    vec_free(&p.given);
    vec_free(&p.arguments);
}
