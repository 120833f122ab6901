/* SPDX-License-Identifier: MIT
 * From functions to steps. */
#include "ptx/program.h"

#include "support/alloc.h"

#include <stdlib.h>
#include <string.h>

struct builder {
    struct ptx_program *program;
    const struct ptx_module *module;
    struct portable_fault *fault;
    uint8_t *state;    /* [functions]: 0 not seen, 1 being looked at, 2 there */
    uint16_t *part_of; /* [functions] */
};

static bool wrong(struct builder *b, const struct ptx_insn *insn, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static bool wrong(struct builder *b, const struct ptx_insn *insn, const char *format, ...) {
    va_list args;
    va_start(args, format);
    str_vprintf(&b->fault->what, format, args);
    va_end(args);
    if (insn) {
        b->fault->line = insn->line;
        ptx_source_text(b->module, insn->file, insn->source_line, &b->fault->what);
    }
    return false;
}

/* ---- which functions ---- */

static uint32_t body_of(const struct builder *b, uint32_t function) {
    const struct ptx_function *f = &b->module->functions.data[function];
    return f->has_body ? function : ptx_find_function(b->module, f->name);
}

static const struct ptx_operand *callee(const struct ptx_insn *insn) {
    return &insn->operands[insn->result_count];
}

static bool no_body(struct builder *b, const struct ptx_insn *insn, const char *name) {
    if (strcmp(name, "vprintf") == 0)
        return wrong(b, insn, "printf: kernels print nothing");
    return wrong(b, insn, "function '%s' has no body here", name);
}

static bool add_function(struct builder *b, uint32_t function);

static bool add_callees(struct builder *b, const struct ptx_function *f) {
    for (size_t i = 0; i < f->insns.len; i++) {
        const struct ptx_insn *insn = &f->insns.data[i];
        if (insn->form->op != PTX_OP_CALL)
            continue;
        uint32_t to = callee(insn)->index, body = body_of(b, to);
        const char *name = b->module->functions.data[to].name;
        if (body == PTX_NONE)
            return no_body(b, insn, name);
        if (b->state[body] == 1)
            return wrong(b, insn, "recursion: '%s' comes to itself", name);
        if (b->state[body] == 0 && !add_function(b, body))
            return false;
    }
    return true;
}

/* Those within each other are at most as many as a module has. */
static bool add_function(struct builder *b, uint32_t function) {
    const struct ptx_function *f = &b->module->functions.data[function];
    struct ptx_part part = {.function = function, .first_slot = b->program->slots};
    if (b->program->parts.len == 4096)
        return wrong(b, NULL, "a kernel has at most 4096 functions");
    if (f->registers.len > PTX_MAX_SLOTS - b->program->slots)
        return wrong(b, NULL, "a thread has at most %u registers, and '%s' wants more",
                     PTX_MAX_SLOTS, f->name);
    b->program->slots += (uint32_t)f->registers.len;
    b->part_of[function] = (uint16_t)b->program->parts.len;
    vec_push(&b->program->parts, part);
    b->state[function] = 1;
    bool fine = add_callees(b, f);
    b->state[function] = 2;
    return fine;
}

/* ---- where variables lie ---- */

static uint64_t place(uint64_t *end, const struct ptx_variable *v) {
    uint64_t at = (*end + v->align - 1) / v->align * v->align;
    *end = at + v->bytes;
    return at;
}

/* Of the module, and of functions of the program. */
static bool is_in(const struct builder *b, const struct ptx_variable *v) {
    return v->function == PTX_NONE || b->state[v->function] == 2;
}

/* Shared variables of the module that nobody names take no room. */
static void mark_operand(uint8_t *named, const struct ptx_operand *o) {
    if (o->kind == PTX_VARIABLE)
        named[o->index] = 1;
    for (uint32_t i = 0; i < o->part_count; i++)
        mark_operand(named, &o->parts[i]);
}

static void mark_named(const struct builder *b, uint8_t *named) {
    for (size_t p = 0; p < b->program->parts.len; p++) {
        const struct ptx_function *f =
            &b->module->functions.data[b->program->parts.data[p].function];
        for (size_t i = 0; i < f->insns.len; i++)
            for (uint32_t k = 0; k < f->insns.data[i].operand_count; k++)
                mark_operand(named, &f->insns.data[i].operands[k]);
    }
}

/* The kernel's own parameters come first, as a launch gives them. */
static void place_parameters(struct builder *b) {
    const struct ptx_function *f = &b->module->functions.data[b->program->entry];
    struct ptx_program *p = b->program;
    for (uint32_t i = 0; i < f->parameter_count; i++)
        p->offsets[f->parameters[i]] =
            place(&p->param_bytes, &b->module->variables.data[f->parameters[i]]);
    p->parameter_bytes = p->param_bytes;
}

static bool is_entry_parameter(const struct builder *b, uint32_t variable) {
    const struct ptx_function *f = &b->module->functions.data[b->program->entry];
    for (uint32_t i = 0; i < f->parameter_count; i++)
        if (f->parameters[i] == variable)
            return true;
    return false;
}

static void place_one(struct builder *b, uint32_t i, bool named) {
    struct ptx_program *p = b->program;
    const struct ptx_variable *v = &b->module->variables.data[i];
    if (v->space == PTX_LOCAL)
        p->offsets[i] = place(&p->local_bytes, v);
    else if (v->space == PTX_PARAM && !is_entry_parameter(b, i))
        p->offsets[i] = place(&p->param_bytes, v);
    else if (v->space == PTX_SHARED && named && !(v->linkage & PTX_EXTERN))
        p->offsets[i] = place(&p->shared_bytes, v);
}

/* What a launch adds to shared memory lies behind all else. */
static void place_dynamic(struct builder *b, const uint8_t *named) {
    struct ptx_program *p = b->program;
    p->shared_align = 1;
    for (uint32_t i = 0; i < b->module->variables.len; i++) {
        const struct ptx_variable *v = &b->module->variables.data[i];
        if (v->space == PTX_SHARED && (v->linkage & PTX_EXTERN) && named[i] &&
            v->align > p->shared_align)
            p->shared_align = v->align;
    }
    p->shared_bytes = (p->shared_bytes + p->shared_align - 1) / p->shared_align * p->shared_align;
    for (uint32_t i = 0; i < b->module->variables.len; i++)
        if (b->module->variables.data[i].space == PTX_SHARED &&
            (b->module->variables.data[i].linkage & PTX_EXTERN))
            p->offsets[i] = p->shared_bytes;
}

static bool place_variables(struct builder *b) {
    struct ptx_program *p = b->program;
    uint8_t *named = xcalloc(b->module->variables.len + 1, 1);
    uint64_t data;
    ptx_data_offsets(b->module, p->offsets, &data);
    place_parameters(b);
    mark_named(b, named);
    for (uint32_t i = 0; i < b->module->variables.len; i++)
        if (is_in(b, &b->module->variables.data[i]))
            place_one(b, i, named[i]);
    place_dynamic(b, named);
    free(named);
    if (p->local_bytes > PTX_MAX_LOCAL || p->param_bytes > PTX_MAX_LOCAL)
        return wrong(b, NULL, "a thread has at most %llu bytes of its own",
                     (unsigned long long)PTX_MAX_LOCAL);
    if (p->shared_bytes > PTX_MAX_SHARED)
        return wrong(b, NULL, "a block has at most %llu bytes of shared memory",
                     (unsigned long long)PTX_MAX_SHARED);
    if (p->parameter_bytes > KERNEL_MAX_PARAMETER_BYTES)
        return wrong(b, NULL, "a kernel has at most %d bytes of parameters",
                     KERNEL_MAX_PARAMETER_BYTES);
    return true;
}

/* ---- steps ---- */

struct making {
    struct builder *b;
    const struct ptx_part *part;
    const struct ptx_function *function;
    const struct ptx_insn *insn;
    struct ptx_step *step;
};

static uint64_t offset_of(const struct making *m, uint32_t variable) {
    return m->b->program->offsets[variable];
}

static enum ptx_space space_of(const struct making *m, uint32_t variable) {
    return m->b->module->variables.data[variable].space;
}

static bool lies_in_data(enum ptx_space space) {
    return space == PTX_GLOBAL || space == PTX_CONST;
}

static struct ptx_source source_of(const struct making *m, const struct ptx_operand *o,
                                   enum ptx_type type, unsigned bits) {
    struct ptx_source s = {.kind = PTX_FROM_NUMBER, .bits = (uint8_t)bits, .negated = o->negated};
    switch (o->kind) {
    case PTX_REGISTER:
        s.kind = PTX_FROM_SLOT;
        s.number = m->part->first_slot + o->index;
        break;
    case PTX_SPECIAL:
        s.kind = PTX_FROM_SPECIAL;
        s.number = o->index;
        break;
    case PTX_VARIABLE:
        s.kind = lies_in_data(space_of(m, o->index)) ? PTX_FROM_DATA : PTX_FROM_NUMBER;
        s.number = offset_of(m, o->index) + (o->address ? 0 : o->number);
        break;
    case PTX_NUMBER:
        s.number = o->address ? o->number : ptx_number_bits(o->number, o->number_kind, type);
        break;
    default:
        break;
    }
    return s;
}

static void add_source(struct making *m, const struct ptx_operand *o, enum ptx_type type,
                       unsigned bits) {
    m->step->source[m->step->source_count++] = source_of(m, o, type, bits);
}

static struct ptx_result result_of(const struct making *m, uint32_t reg) {
    struct ptx_result r = {PTX_NONE, 0};
    if (reg == PTX_NONE || reg == PTX_SINK)
        return r;
    r.slot = m->part->first_slot + reg;
    r.bits = (uint8_t)ptx_type_bits(m->function->registers.data[reg].type);
    return r;
}

static void add_result(struct making *m, const struct ptx_operand *o) {
    m->step->result[m->step->result_count++] =
        result_of(m, o->kind == PTX_REGISTER ? o->index : PTX_NONE);
    m->step->second = result_of(m, o->second);
}

/* A variable in an address without a space is one of its own. */
static void set_address(struct making *m, const struct ptx_operand *o) {
    struct ptx_step *s = m->step;
    s->space = (enum ptx_space)m->insn->m.space;
    s->added = o->kind == PTX_NUMBER ? 0 : o->number;
    s->address_bits = 64;
    if (o->kind == PTX_REGISTER)
        s->address_bits = (uint8_t)ptx_type_bits(m->function->registers.data[o->index].type);
    if (o->kind == PTX_VARIABLE && s->space == PTX_GENERIC)
        s->space = space_of(m, o->index);
    add_source(m, o, PTX_U64, s->address_bits);
}

static void add_parts(struct making *m, const struct ptx_operand *o, enum ptx_type type,
                      bool result) {
    const struct ptx_operand *parts = o->kind == PTX_VECTOR ? o->parts : o;
    uint32_t count = o->kind == PTX_VECTOR ? o->part_count : 1;
    unsigned bits = ptx_type_bits(type);
    if (m->insn->form->op == PTX_OP_MOV)
        bits /= count;
    for (uint32_t i = 0; i < count; i++)
        if (result)
            add_result(m, &parts[i]);
        else
            add_source(m, &parts[i], type, bits);
}

static void add_operand(struct making *m, char letter, const struct ptx_operand *o, bool first) {
    enum ptx_type type = (enum ptx_type)m->insn->m.type[0];
    enum ptx_type second = (enum ptx_type)m->insn->m.type[1];
    switch (letter) {
    case 'd':
    case 'w':
    case '2':
    case 'x':
    case 'q':
    case 'e':
        add_result(m, o);
        break;
    case 'v':
    case 's':
    case 't':
        add_parts(m, o, type, letter == 'v' || (letter == 't' && first));
        break;
    case 'a':
        add_source(m, o, type, ptx_type_bits(type));
        break;
    case 'b':
    case 'y':
        add_source(m, o, second, ptx_type_bits(second));
        break;
    case 'W':
        add_source(m, o, PTX_U64, 2 * ptx_type_bits(type));
        break;
    case 'u':
        add_source(m, o, PTX_U32, 32);
        break;
    case '8':
        add_source(m, o, PTX_U64, 64);
        break;
    case 'p':
        add_source(m, o, PTX_PRED, 1);
        break;
    case 'm':
        set_address(m, o);
        break;
    default: /* 'l' */
        m->step->target = m->part->first_step + m->function->labels.data[o->index].insn;
    }
}

/* ---- calls ---- */

static void add_copies(struct making *m, const struct ptx_operand *actual, const uint32_t *formal,
                       uint32_t count, bool back, const struct ptx_copy **out) {
    struct ptx_copy *list = ARENA_ARRAY(&m->b->program->arena, count ? count : 1, struct ptx_copy);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t outside = offset_of(m, actual[i].index), inside = offset_of(m, formal[i]);
        list[i] = (struct ptx_copy){back ? inside : outside, back ? outside : inside,
                                    m->b->module->variables.data[formal[i]].bytes};
    }
    *out = list;
}

static void make_call(struct making *m) {
    const struct ptx_insn *insn = m->insn;
    uint32_t body = body_of(m->b, callee(insn)->index);
    const struct ptx_function *f = &m->b->module->functions.data[body];
    struct ptx_step *s = m->step;
    s->callee = m->b->part_of[body];
    s->copy_count = f->parameter_count;
    s->returned_count = f->result_count;
    add_copies(m, callee(insn) + 1, f->parameters, f->parameter_count, false, &s->copies);
    add_copies(m, insn->operands, f->results, f->result_count, true, &s->returned);
}

static void make_step(struct making *m) {
    struct ptx_step *s = m->step;
    uint32_t i = 0;
    *s = (struct ptx_step){.insn = m->insn,
                           .op = m->insn->form->op,
                           .function = (uint16_t)(m->part - m->b->program->parts.data),
                           .guard_not = m->insn->guard_not,
                           .second = {PTX_NONE, 0}};
    s->guard = m->insn->guard == PTX_NONE ? PTX_NONE : m->part->first_slot + m->insn->guard;
    if (s->op == PTX_OP_CALL) {
        make_call(m);
        return;
    }
    for (const char *l = m->insn->form->operands; *l && i < m->insn->operand_count; l++)
        if (*l != '?') {
            add_operand(m, *l, &m->insn->operands[i], i == 0);
            i++;
        }
}

/* A definition may come behind its declaration, with parameters of its own. */
static bool same_parameters(struct builder *b, const struct ptx_insn *insn) {
    const struct ptx_function *said = &b->module->functions.data[callee(insn)->index];
    const struct ptx_function *f = &b->module->functions.data[body_of(b, callee(insn)->index)];
    bool same =
        said->parameter_count == f->parameter_count && said->result_count == f->result_count;
    for (uint32_t i = 0; same && i < f->parameter_count; i++)
        same = b->module->variables.data[said->parameters[i]].bytes ==
               b->module->variables.data[f->parameters[i]].bytes;
    for (uint32_t i = 0; same && i < f->result_count; i++)
        same = b->module->variables.data[said->results[i]].bytes ==
               b->module->variables.data[f->results[i]].bytes;
    return same || wrong(b, insn, "'%s' is declared otherwise than it is defined", f->name);
}

static bool make_part(struct builder *b, size_t number) {
    struct ptx_part *part = &b->program->parts.data[number];
    const struct ptx_function *f = &b->module->functions.data[part->function];
    struct making m = {.b = b, .part = part, .function = f};
    for (size_t i = 0; i < f->insns.len; i++) {
        m.insn = &f->insns.data[i];
        m.step = &b->program->steps.data[part->first_step + i];
        if (m.insn->form->op == PTX_OP_CALL && !same_parameters(b, m.insn))
            return false;
        make_step(&m);
    }
    b->program->steps.data[part->first_step + f->insns.len] =
        (struct ptx_step){.op = PTX_OP_RET, .guard = PTX_NONE, .function = (uint16_t)number};
    return true;
}

static bool make_steps(struct builder *b) {
    struct ptx_program *p = b->program;
    uint32_t count = 0;
    for (size_t i = 0; i < p->parts.len; i++) {
        p->parts.data[i].first_step = count;
        count += (uint32_t)b->module->functions.data[p->parts.data[i].function].insns.len + 1;
    }
    vec_reserve(&p->steps, count);
    p->steps.len = count;
    bool fine = true;
    for (size_t i = 0; fine && i < p->parts.len; i++)
        fine = make_part(b, i);
    for (uint32_t i = 0; fine && i < count; i++)
        if (p->steps.data[i].op == PTX_OP_CALL)
            p->steps.data[i].target = p->parts.data[p->steps.data[i].callee].first_step;
    return fine;
}

static void find_wanted(struct ptx_program *p) {
    bool *read = xcalloc((size_t)p->slots + 1, sizeof *read);
    for (size_t i = 0; i < p->steps.len; i++) {
        const struct ptx_step *s = &p->steps.data[i];
        for (unsigned k = 0; k < s->source_count; k++)
            if (s->source[k].kind == PTX_FROM_SLOT)
                read[s->source[k].number] = true;
        if (s->guard != PTX_NONE)
            read[s->guard] = true;
    }
    for (size_t i = 0; i < p->steps.len; i++) {
        struct ptx_step *s = &p->steps.data[i];
        s->wanted = s->op == PTX_OP_ATOM && s->result_count && s->result[0].slot != PTX_NONE &&
                    read[s->result[0].slot];
    }
    free(read);
}

struct ptx_program *ptx_program_new(const struct ptx_module *module, uint32_t entry,
                                    struct portable_fault *fault) {
    struct ptx_program *p = xcalloc(1, sizeof *p);
    struct builder b = {.program = p, .module = module, .fault = fault};
    p->module = module;
    p->entry = entry;
    p->offsets = xcalloc(module->variables.len + 1, sizeof *p->offsets);
    b.state = xcalloc(module->functions.len + 1, 1);
    b.part_of = xcalloc(module->functions.len + 1, sizeof *b.part_of);
    bool fine = add_function(&b, entry) && place_variables(&b) && make_steps(&b);
    free(b.state);
    free(b.part_of);
    if (fine) {
        find_wanted(p);
        return p;
    }
    ptx_program_free(p);
    return NULL;
}

void ptx_program_free(struct ptx_program *program) {
    if (!program)
        return;
    vec_free(&program->parts);
    vec_free(&program->steps);
    free(program->offsets);
    arena_free(&program->arena);
    free(program);
}
