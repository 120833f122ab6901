/* SPDX-License-Identifier: MIT
 * Messages: SEND, one transfer ensemble, SEND_DONE; and which MPUs there are to name. */
#include "linker/check/flow.h"
#include "linker/linker.h"

#include <inttypes.h>

static void note_send(const struct flow_check *flow, uint32_t send) {
    diag_note(flow->d, link_flow_span(flow, send), "the SEND is instruction %" PRIu32, send);
}

/* SEND_DONE at index. */
static void end_message(const struct flow_check *flow, struct message_walk *walk, bool top,
                        uint32_t index) {
    if (walk->open && !top) {
        link_flow_error(flow, index,
                        "SEND_DONE at instruction %" PRIu32
                        " stands inside an ensemble; it follows MOVE_DONE",
                        index);
        note_send(flow, walk->open - 1);
    } else if (!walk->open && !walk->wrong) {
        link_flow_error(flow, index, "SEND_DONE at instruction %" PRIu32 " has no SEND", index);
    }
    *walk = (struct message_walk){0};
}

/* What stands where the message must go on.  One mistake, one message. */
static void check_inside(const struct flow_check *flow, struct message_walk *walk, enum isa_op op,
                         bool top, uint32_t index) {
    uint32_t send = walk->open - 1;
    if (index == walk->open && op != OP_MOVE && op != OP_GMOVE)
        link_flow_error(
            flow, index,
            "SEND encloses one transfer ensemble or one GMOVE, and %s at instruction %" PRIu32
            " begins none",
            isa_info(op)->name, index);
    else if (index > walk->open && top)
        link_flow_error(flow, index,
                        "SEND_DONE is missing before %s at instruction %" PRIu32
                        ": SEND encloses one transfer ensemble or one GMOVE, and nothing else",
                        isa_info(op)->name, index);
    else
        return;
    note_send(flow, send);
    *walk = (struct message_walk){.wrong = true};
}

void link_message_step(const struct flow_check *flow, struct message_walk *walk, enum isa_op op,
                       bool top, uint32_t index) {
    flow->at[index].message = walk->open;
    if (op == OP_SEND_DONE) {
        end_message(flow, walk, top, index);
        return;
    }
    if (walk->open)
        check_inside(flow, walk, op, top, index);
    if (op != OP_SEND && op != OP_RECV)
        return;
    if (!top)
        link_flow_error(flow, index,
                        "%s at instruction %" PRIu32
                        " stands inside an ensemble; messages are sent and "
                        "received at top level",
                        isa_info(op)->name, index);
    if (op == OP_SEND)
        *walk = (struct message_walk){.open = top ? index + 1 : 0, .wrong = !top};
}

void link_message_end(const struct flow_check *flow, const struct message_walk *walk,
                      const char *end) {
    if (walk->open)
        link_flow_error(flow, walk->open - 1,
                        "SEND at instruction %" PRIu32 " has no SEND_DONE before the end of %s",
                        walk->open - 1, end);
}

void link_program_image(const struct object *object, uint32_t *first, uint32_t *count) {
    const struct entry *last = object->entries.len ? &vec_last(&object->entries) : NULL;
    *first = last ? object->entries.data[0].first_mpu : 0;
    *count = last && !object->geometry.grid_dims ? last->first_mpu + last->mpu_count - *first
                                                 : grid_mpus(&object->geometry);
}

static void refuse_partner(const struct flow_check *flow, uint32_t index, const struct insn *x,
                           uint32_t own, bool *said) {
    link_flow_error(flow, index, "%s names MPU%" PRIi32 "; the program has MPU%" PRIu32 " alone",
                    isa_info(x->op)->name, x->imm, own);
    if (!*said)
        diag_note(flow->d, NO_SPAN,
                  "a program of several MPUs is linked from the texts of all of them ('ezpim -c' "
                  "makes an object of one)");
    *said = true;
}

void link_check_partners(const struct flow_check *flow) {
    uint32_t first, count;
    bool said = false;
    struct insn x;
    link_program_image(flow->o, &first, &count);
    for (uint32_t i = 0; i < flow->o->text.len && !diag_full(flow->d); i++) {
        uint32_t word = flow->o->text.data[i];
        if (!(isa_may_be(word, OP_SEND) || isa_may_be(word, OP_RECV)) ||
            isa_decode(word, &x) != ISA_OK || x.mode != 0 || (uint32_t)x.imm - first < count)
            continue;
        if (count > 1)
            link_flow_error(flow, i,
                            "%s names MPU%" PRIi32 "; the program's MPUs are MPU%" PRIu32
                            " to MPU%" PRIu32,
                            isa_info(x.op)->name, x.imm, first, first + count - 1);
        else
            refuse_partner(flow, i, &x, first, &said);
    }
}
