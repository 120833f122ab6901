/* SPDX-License-Identifier: MIT
 * Reader and interpreter. */
#include "tests/machines/loop/loop.h"

#include "support/alloc.h"
#include "support/bits.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- reading ---- */

struct reader {
    const char *at, *end; /* of a line */
    struct portable_kernel *kernel;
    struct portable_fault *fault;
    const char *names[LOOP_SLOTS];
    size_t lengths[LOOP_SLOTS];
    const struct kernel_decl *decl;
};

static bool wrong(struct reader *r, const char *what) {
    if (!r->fault->what.len)
        str_append(&r->fault->what, what);
    return false;
}

static void blanks(struct reader *r) {
    while (r->at < r->end && strchr(" \t\r", *r->at))
        r->at++;
    if (r->at < r->end && *r->at == '#')
        r->at = r->end;
}

static bool take(struct reader *r, const char *text) {
    size_t n = strlen(text);
    blanks(r);
    if ((size_t)(r->end - r->at) < n || memcmp(r->at, text, n) != 0)
        return false;
    r->at += n;
    return true;
}

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c >= '0' && c <= '9');
}

static size_t word(struct reader *r, const char **text) {
    blanks(r);
    *text = r->at;
    while (r->at < r->end && is_letter(*r->at))
        r->at++;
    return (size_t)(r->at - *text);
}

/* The slot of a name; LOOP_NO_SLOT: there is none. */
static uint32_t find(const struct reader *r, const char *text, size_t n) {
    for (uint32_t i = 0; i < r->kernel->slots; i++)
        if (r->lengths[i] == n && memcmp(r->names[i], text, n) == 0)
            return i;
    return LOOP_NO_SLOT;
}

static bool add(struct reader *r, const char *text, size_t n) {
    if (r->kernel->slots == LOOP_SLOTS)
        return wrong(r, "there are more than 64 names");
    r->names[r->kernel->slots] = text;
    r->lengths[r->kernel->slots++] = n;
    return true;
}

static bool is_buffer(const struct reader *r, uint32_t slot) {
    return slot >= LOOP_PARAMETERS && slot < LOOP_PARAMETERS + r->kernel->parameters &&
           r->decl->parameters[slot - LOOP_PARAMETERS].kind == PARAMETER_BUFFER;
}

/* A number, or a name, which is new where `assigns`. */
static bool simple(struct reader *r, bool assigns, uint32_t *slot, int64_t *number) {
    const char *text;
    uint64_t value;
    bool minus = take(r, "-");
    size_t n = word(r, &text);
    *slot = LOOP_NO_SLOT;
    if (n && text[0] >= '0' && text[0] <= '9') {
        if (assigns || !number_parse_u64(text, n, &value))
            return wrong(r, "this is no number");
        *number = (int64_t)(minus ? 0 - value : value);
        return true;
    }
    if (!n || minus)
        return wrong(r, "a number or a name is missing");
    *slot = find(r, text, n);
    if (*slot == LOOP_NO_SLOT && assigns && add(r, text, n))
        *slot = r->kernel->slots - 1;
    return *slot != LOOP_NO_SLOT || wrong(r, "nothing has this name");
}

static bool operand(struct reader *r, bool assigns, struct loop_operand *out) {
    *out = (struct loop_operand){.kind = LOOP_NUMBER, .index_slot = LOOP_NO_SLOT};
    if (!simple(r, assigns, &out->slot, &out->number))
        return false;
    if (out->slot == LOOP_NO_SLOT)
        return true;
    out->kind = LOOP_VALUE;
    if (!is_buffer(r, out->slot))
        return !assigns || out->slot >= LOOP_PARAMETERS + r->kernel->parameters ||
               wrong(r, "i and parameters are not assigned");
    out->kind = LOOP_ELEMENT;
    return (take(r, "[") && simple(r, false, &out->index_slot, &out->number) && take(r, "]")) ||
           wrong(r, "a buffer has one index");
}

static bool statement(struct reader *r, uint32_t line) {
    static const char *const ops[] = {"<<", ">>", "+", "-", "&", "|", "^", "<"};
    struct loop_statement s = {.line = line};
    if (!operand(r, true, &s.to) || !(take(r, "=") || wrong(r, "'=' is missing")) ||
        !operand(r, false, &s.left))
        return false;
    for (size_t i = 0; i < sizeof ops / sizeof *ops && !s.op[0]; i++)
        if (take(r, ops[i]))
            memcpy(s.op, ops[i], strlen(ops[i]));
    if (s.op[0] && !operand(r, false, &s.right))
        return false;
    blanks(r);
    vec_push(&r->kernel->body, s);
    return r->at == r->end || wrong(r, "a statement has one operation");
}

static bool head(struct reader *r, uint32_t line) {
    const char *text;
    if (!take(r, "for "))
        return wrong(r, "a loop begins with 'for i < n'");
    size_t n = word(r, &text);
    if (!n || find(r, text, n) != LOOP_NO_SLOT)
        return wrong(r, "the name of the number is missing, or another's");
    r->names[LOOP_I] = text;
    r->lengths[LOOP_I] = n;
    r->kernel->bound_line = line;
    if (!take(r, "<") || !operand(r, false, &r->kernel->bound))
        return wrong(r, "a loop begins with 'for i < n'");
    blanks(r);
    return (r->at == r->end && r->kernel->bound.kind != LOOP_ELEMENT) ||
           wrong(r, "behind '<' stands a number or a parameter");
}

static bool parameters(struct reader *r) {
    struct portable_kernel *k = r->kernel;
    uint32_t end = 0;
    k->slots = LOOP_PARAMETERS;
    for (uint32_t i = 0; i < r->decl->parameter_count; i++) {
        const struct kernel_parameter *p = &r->decl->parameters[i];
        bool number = p->kind == PARAMETER_NUMBER && !object_type_is_float(p->type);
        if (!number && !(p->kind == PARAMETER_BUFFER && object_element_bytes(p->type) == 8))
            return wrong(r, "parameters of a loop are whole numbers and buffers of 8 bytes");
        if (!add(r, p->name, strlen(p->name)))
            return false;
        k->offsets[i] = object_parameter_offset(p, end);
        k->bytes[i] = object_parameter_bytes(p);
        k->is_signed[i] = number && p->type.kind == TYPE_INT;
        end = k->offsets[i] + k->bytes[i];
    }
    k->parameters = r->decl->parameter_count;
    return true;
}

static bool lines(struct reader *r) {
    const char *text = r->decl->bytes, *end = text + r->decl->size;
    bool begun = false;
    for (uint32_t line = 1; text < end; line++) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        r->at = text;
        r->end = newline ? newline : end;
        text = r->end + 1;
        blanks(r);
        if (r->at == r->end)
            continue;
        r->fault->line = line;
        if (!(begun ? statement(r, line) : head(r, line)))
            return false;
        begun = true;
    }
    r->fault->line = 0;
    return begun || wrong(r, "there is no loop");
}

struct portable_kernel *loop_read(const struct kernel_decl *decl, struct portable_fault *fault) {
    struct reader r = {.fault = fault, .decl = decl};
    r.kernel = xcalloc(1, sizeof *r.kernel);
    r.names[LOOP_I] = "";
    bool fine = decl->words || decl->entry ? wrong(&r, "a loop is a text of its own")
                                           : parameters(&r) && lines(&r);
    if (fine)
        return r.kernel;
    loop_free(r.kernel);
    return NULL;
}

void loop_free(struct portable_kernel *kernel) {
    vec_free(&kernel->body);
    free(kernel);
}

/* ---- carrying out ---- */

struct runner {
    const struct portable_kernel *kernel;
    const struct portable_launch *launch;
    struct portable_fault *fault;
    uint64_t slots[LOOP_SLOTS];
    uint32_t line;
};

static unsigned char *element(struct runner *r, const struct loop_operand *x, bool writes) {
    uint64_t index = x->index_slot == LOOP_NO_SLOT ? (uint64_t)x->number : r->slots[x->index_slot];
    uint64_t address = r->slots[x->slot] + 8 * index;
    unsigned char *at = address % 8 ? NULL
                                    : r->launch->at(r->launch->context, address, 8, writes,
                                                    r->slots[LOOP_I], r->line);
    if (!at) {
        str_printf(&r->fault->what,
                   "element %" PRIu64 " of the loop finds no 8 bytes at 0x%" PRIx64,
                   r->slots[LOOP_I], address);
        r->fault->line = r->line;
    }
    return at;
}

static bool get(struct runner *r, const struct loop_operand *x, uint64_t *value) {
    if (x->kind == LOOP_ELEMENT) {
        const unsigned char *at = element(r, x, false);
        if (at)
            memcpy(value, at, 8);
        return at != NULL;
    }
    *value = x->kind == LOOP_VALUE ? r->slots[x->slot] : (uint64_t)x->number;
    return true;
}

static uint64_t work(const char *op, uint64_t left, uint64_t right) {
    switch (op[0]) {
    case '+':
        return left + right;
    case '-':
        return left - right;
    case '&':
        return left & right;
    case '|':
        return left | right;
    case '^':
        return left ^ right;
    case '>':
        return right < 64 ? left >> right : 0;
    case '<':
        return op[1] ? (right < 64 ? left << right : 0) : left < right;
    default:
        return left;
    }
}

static bool carry_out(struct runner *r, const struct loop_statement *s) {
    uint64_t left = 0, right = 0;
    r->line = s->line;
    if (!get(r, &s->left, &left) || (s->op[0] && !get(r, &s->right, &right)))
        return false;
    uint64_t value = work(s->op, left, right);
    if (s->to.kind == LOOP_VALUE) {
        r->slots[s->to.slot] = value;
        return true;
    }
    unsigned char *at = element(r, &s->to, true);
    if (at)
        memcpy(at, &value, 8);
    return at != NULL;
}

static void take_parameters(struct runner *r) {
    for (uint32_t i = 0; i < r->kernel->parameters; i++) {
        uint64_t value = 0;
        memcpy(&value, r->launch->parameters + r->kernel->offsets[i], r->kernel->bytes[i]);
        r->slots[LOOP_PARAMETERS + i] =
            r->kernel->is_signed[i] ? (uint64_t)sign_extend(value, 8 * r->kernel->bytes[i]) : value;
    }
}

static bool run(const struct portable_kernel *kernel, const struct portable_launch *launch,
                struct portable_fault *fault) {
    struct runner r = {.kernel = kernel, .launch = launch, .fault = fault};
    uint64_t n = 0;
    take_parameters(&r);
    get(&r, &kernel->bound, &n);
    for (uint64_t done = 0; done < n; done++) {
        uint32_t first = LOOP_PARAMETERS + kernel->parameters;
        memset(r.slots + first, 0, (LOOP_SLOTS - first) * sizeof *r.slots);
        r.slots[LOOP_I] = launch->descending ? n - 1 - done : done;
        for (size_t s = 0; s < kernel->body.len; s++)
            if (!carry_out(&r, &kernel->body.data[s]))
                return false;
        if (done % 1024 == 1023 && !launch->go_on(launch->context, done))
            return false;
    }
    return true;
}

const struct portable_form loop_form = {
    .name = "loop", .ordered = true, .read = loop_read, .free = loop_free, .run = run};
