/* SPDX-License-Identifier: MIT
 * What the order of instructions alone shows to be wrong.  Code behind a RETURN, HALT or GOTO may
 * be reached from anywhere, and a subroutine may be called anywhere: there less is known. */
#include "asm/assembler.h"

static struct span here(struct assembler *a, const struct asm_token *at) {
    return asm_kept_span(a, at->begin, at->end);
}

static void header(struct assembler *a, const struct asm_token *at, enum surroundings now) {
    struct structure *s = &a->structure;
    if (now == IN_COMPUTE && s->sending) {
        asm_error_token(a, at, "a compute ensemble inside of SEND .. SEND_DONE");
        diag_note(a->d, s->send,
                  "SEND encloses one transfer ensemble: the \"execution block\" of "
                  "the paper's Table II is read as the transfer ensemble of its "
                  "Fig. 6");
    }
    s->in = now;
}

/* A REPEAT that began in the body must end in it. */
static void footer(struct assembler *a, const struct asm_token *at) {
    struct structure *s = &a->structure;
    if (s->repeats.len && vec_last(&s->repeats).in != AT_TOP && vec_last(&s->repeats).in == s->in &&
        s->in != ANYWHERE) {
        asm_error_token(a, at, "a REPEAT of this ensemble is not closed");
        diag_note(a->d, vec_last(&s->repeats).at, "it began here; REPEAT_END is missing");
        s->repeats.len--;
    }
    s->in = AT_TOP;
}

static size_t depth_here(const struct structure *s) {
    size_t depth = 0;
    for (size_t i = s->repeats.len; i-- > 0 && s->repeats.data[i].in == s->in;)
        depth++;
    return depth;
}

static void repeat(struct assembler *a, const struct asm_token *at) {
    struct structure *s = &a->structure;
    struct open_repeat r = {s->in, here(a, at)};
    if (depth_here(s) == MAX_REPEAT) {
        asm_error_token(a, at, "REPEAT is nested more than %d deep", MAX_REPEAT);
        diag_note(a->d, s->repeats.data[s->repeats.len - MAX_REPEAT].at,
                  "the outermost of them is here");
    }
    vec_push(&s->repeats, r);
}

static void repeat_end(struct assembler *a, const struct asm_token *at) {
    struct structure *s = &a->structure;
    if (s->repeats.len && (vec_last(&s->repeats).in == s->in || s->in == ANYWHERE ||
                           vec_last(&s->repeats).in == ANYWHERE)) {
        s->repeats.len--;
        return;
    }
    if (s->unsure)
        return;
    asm_error_token(a, at, "REPEAT_END without a REPEAT before it");
    if (s->repeats.len)
        diag_note(a->d, vec_last(&s->repeats).at, "this REPEAT stands outside of the ensemble");
}

static void transfer_step(struct assembler *a, enum mpu_op op, const struct asm_token *at) {
    const struct structure *s = &a->structure;
    if (!s->unsure && (s->in == AT_TOP || s->in == IN_COMPUTE))
        asm_error_token(a, at,
                        "%s stands in transfer ensembles only, between MOVE and "
                        "MOVE_DONE",
                        isa_info(op)->name);
}

static void gmove_step(struct assembler *a, const struct asm_token *at) {
    const struct structure *s = &a->structure;
    if (!s->unsure && (s->in == IN_TRANSFER || s->in == IN_COMPUTE))
        asm_error_token(a, at, "GMOVE stands at top level, outside of ensembles");
}

static void send_done(struct assembler *a, const struct asm_token *at) {
    struct structure *s = &a->structure;
    if (!s->sending && s->in != ANYWHERE && !s->unsure)
        asm_error_token(a, at, "SEND_DONE without a SEND before it");
    s->sending = false;
}

static void send(struct assembler *a, const struct asm_token *at) {
    struct structure *s = &a->structure;
    if (s->sending) {
        asm_error_token(a, at, "SEND inside of a SEND");
        diag_note(a->d, s->send, "this one is not closed by SEND_DONE");
    }
    s->sending = true;
    s->send = here(a, at);
}

void asm_structure_step(struct assembler *a, enum mpu_op op, const struct asm_token *at) {
    switch (op) {
    case OP_COMPUTE:
    case OP_COMPUTEG:
        header(a, at, IN_COMPUTE);
        break;
    case OP_MOVE:
        header(a, at, IN_TRANSFER);
        break;
    case OP_COMPUTE_DONE:
    case OP_MOVE_DONE:
        footer(a, at);
        break;
    case OP_MEMCPY_8:
    case OP_MEMCPY_16:
    case OP_MEMCPY_32:
    case OP_MEMCPY_64:
    case OP_LANE:
        transfer_step(a, op, at);
        break;
    case OP_GMOVE:
        gmove_step(a, at);
        break;
    case OP_SEND:
        send(a, at);
        break;
    case OP_SEND_DONE:
        send_done(a, at);
        break;
    case OP_REPEAT:
        repeat(a, at);
        break;
    case OP_REPEAT_END:
        repeat_end(a, at);
        break;
    case OP_RETURN:
    case OP_HALT:
    case OP_GOTO:
        if (a->structure.in == AT_TOP)
            a->structure.in = ANYWHERE;
        break;
    default:
        break;
    }
}

static void close_all(struct assembler *a, const char *where, struct span end) {
    struct structure *s = &a->structure;
    if (s->repeats.len) {
        diag_error(a->d, vec_last(&s->repeats).at, "this REPEAT is not closed");
        diag_note(a->d, end, "REPEAT_END is missing before %s", where);
    }
    if (s->sending) {
        diag_error(a->d, s->send, "this SEND is not closed");
        diag_note(a->d, end, "SEND_DONE is missing before %s", where);
    }
    vec_clear(&s->repeats);
    s->sending = false;
}

void asm_structure_enter_sub(struct assembler *a) {
    a->outside = a->structure;
    a->structure = (struct structure){.in = ANYWHERE};
}

void asm_structure_leave_sub(struct assembler *a) {
    close_all(a, ".endsub", asm_kept_span(a, a->statement, a->token.begin));
    vec_free(&a->structure.repeats);
    a->structure = a->outside;
    a->outside = (struct structure){.in = AT_TOP};
    if (a->structure.in == AT_TOP)
        a->structure.in = ANYWHERE;
}

void asm_structure_end(struct assembler *a) {
    if (!a->sub)
        close_all(a, "the end of the file", a->last);
}
