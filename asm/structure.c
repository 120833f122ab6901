/* SPDX-License-Identifier: MIT
 * Finds mistakes that the order of instructions alone shows.  Code behind a RETURN, HALT or GOTO
 * may be reached from anywhere, and a subroutine may be called anywhere: less can be found there.
 */
#include "asm/assembler.h"

static struct span here(struct assembler *assembler, const struct asm_token *at) {
    return asm_kept_span(assembler, at->begin, at->end);
}

static void header(struct assembler *assembler, const struct asm_token *at, enum surroundings now) {
    struct structure *s = &assembler->structure;
    if (now == IN_COMPUTE && s->sending) {
        asm_error_token(assembler, at, "a compute ensemble inside of SEND .. SEND_DONE");
        diag_note(assembler->d, s->send,
                  "SEND encloses one transfer ensemble: the \"execution block\" of "
                  "the paper's Table II is read as the transfer ensemble of its "
                  "Fig. 6");
    }
    s->in = now;
}

/* A REPEAT that began in the body must end in it. */
static void footer(struct assembler *assembler, const struct asm_token *at) {
    struct structure *s = &assembler->structure;
    if (s->repeats.len && vec_last(&s->repeats).in != AT_TOP && vec_last(&s->repeats).in == s->in &&
        s->in != ANYWHERE) {
        asm_error_token(assembler, at, "a REPEAT of this ensemble is not closed");
        diag_note(assembler->d, vec_last(&s->repeats).at, "it began here; REPEAT_END is missing");
        s->repeats.len--;
    }
    s->in = AT_TOP;
}

static size_t depth_here(const struct structure *structure) {
    size_t depth = 0;
    for (size_t i = structure->repeats.len;
         i-- > 0 && structure->repeats.data[i].in == structure->in;)
        depth++;
    return depth;
}

static void repeat(struct assembler *assembler, const struct asm_token *at) {
    struct structure *s = &assembler->structure;
    struct open_repeat r = {s->in, here(assembler, at)};
    if (depth_here(s) == MAX_REPEAT) {
        asm_error_token(assembler, at, "REPEAT is nested more than %d deep", MAX_REPEAT);
        diag_note(assembler->d, s->repeats.data[s->repeats.len - MAX_REPEAT].at,
                  "the outermost of them is here");
    }
    vec_push(&s->repeats, r);
}

static void repeat_end(struct assembler *assembler, const struct asm_token *at) {
    struct structure *s = &assembler->structure;
    if (s->repeats.len && (vec_last(&s->repeats).in == s->in || s->in == ANYWHERE ||
                           vec_last(&s->repeats).in == ANYWHERE)) {
        s->repeats.len--;
        return;
    }
    if (s->unsure)
        return;
    asm_error_token(assembler, at, "REPEAT_END without a REPEAT before it");
    if (s->repeats.len)
        diag_note(assembler->d, vec_last(&s->repeats).at,
                  "this REPEAT stands outside of the ensemble");
}

static void transfer_step(struct assembler *assembler, enum isa_op op, const struct asm_token *at) {
    const struct structure *s = &assembler->structure;
    if (!s->unsure && (s->in == AT_TOP || s->in == IN_COMPUTE))
        asm_error_token(assembler, at,
                        "%s stands in transfer ensembles only, between MOVE and "
                        "MOVE_DONE",
                        isa_info(op)->name);
}

static void gmove_step(struct assembler *assembler, const struct asm_token *at) {
    const struct structure *s = &assembler->structure;
    if (!s->unsure && (s->in == IN_TRANSFER || s->in == IN_COMPUTE))
        asm_error_token(assembler, at, "GMOVE stands at top level, outside of ensembles");
}

void asm_structure_launch(struct assembler *assembler, const struct asm_token *at) {
    const struct structure *s = &assembler->structure;
    if (!s->unsure && (s->in == IN_TRANSFER || s->in == IN_COMPUTE))
        asm_error_token(assembler, at,
                        "RECIPE of a kernel stands at top level, outside of ensembles");
    else if (s->sending)
        asm_error_token(assembler, at, "RECIPE of a kernel inside of a SEND");
}

static void send_done(struct assembler *assembler, const struct asm_token *at) {
    struct structure *s = &assembler->structure;
    if (!s->sending && s->in != ANYWHERE && !s->unsure)
        asm_error_token(assembler, at, "SEND_DONE without a SEND before it");
    s->sending = false;
}

static void send(struct assembler *assembler, const struct asm_token *at) {
    struct structure *s = &assembler->structure;
    if (s->sending) {
        asm_error_token(assembler, at, "SEND inside of a SEND");
        diag_note(assembler->d, s->send, "this one is not closed by SEND_DONE");
    }
    s->sending = true;
    s->send = here(assembler, at);
}

void asm_structure_step(struct assembler *assembler, enum isa_op op, const struct asm_token *at) {
    switch (op) {
    case OP_COMPUTE:
    case OP_COMPUTEG:
        header(assembler, at, IN_COMPUTE);
        break;
    case OP_MOVE:
        header(assembler, at, IN_TRANSFER);
        break;
    case OP_COMPUTE_DONE:
    case OP_MOVE_DONE:
        footer(assembler, at);
        break;
    case OP_MEMCPY_8:
    case OP_MEMCPY_16:
    case OP_MEMCPY_32:
    case OP_MEMCPY_64:
    case OP_LANE:
        transfer_step(assembler, op, at);
        break;
    case OP_GMOVE:
        gmove_step(assembler, at);
        break;
    case OP_SEND:
        send(assembler, at);
        break;
    case OP_SEND_DONE:
        send_done(assembler, at);
        break;
    case OP_REPEAT:
        repeat(assembler, at);
        break;
    case OP_REPEAT_END:
        repeat_end(assembler, at);
        break;
    case OP_RETURN:
    case OP_HALT:
    case OP_GOTO:
        if (assembler->structure.in == AT_TOP)
            assembler->structure.in = ANYWHERE;
        break;
    default:
        break;
    }
}

static void close_all(struct assembler *assembler, const char *where, struct span end) {
    struct structure *s = &assembler->structure;
    if (s->repeats.len) {
        diag_error(assembler->d, vec_last(&s->repeats).at, "this REPEAT is not closed");
        diag_note(assembler->d, end, "REPEAT_END is missing before %s", where);
    }
    if (s->sending) {
        diag_error(assembler->d, s->send, "this SEND is not closed");
        diag_note(assembler->d, end, "SEND_DONE is missing before %s", where);
    }
    vec_clear(&s->repeats);
    s->sending = false;
}

void asm_structure_enter_sub(struct assembler *assembler) {
    assembler->outside = assembler->structure;
    assembler->structure = (struct structure){.in = ANYWHERE};
}

void asm_structure_leave_sub(struct assembler *assembler) {
    close_all(assembler, ".endsub",
              asm_kept_span(assembler, assembler->statement, assembler->token.begin));
    vec_free(&assembler->structure.repeats);
    assembler->structure = assembler->outside;
    assembler->outside = (struct structure){.in = AT_TOP};
    if (assembler->structure.in == AT_TOP)
        assembler->structure.in = ANYWHERE;
}

void asm_structure_end(struct assembler *assembler) {
    if (!assembler->sub)
        close_all(assembler, "the end of the file", assembler->last);
}
