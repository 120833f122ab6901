/* SPDX-License-Identifier: MIT
 * Messages: SEND, one transfer ensemble, SEND_DONE; and which MPUs there are to name. */
#include "linker/flow.h"
#include "linker/linker.h"

#include <inttypes.h>

static void note_send(const struct flow_check *f, uint32_t send) {
    diag_note(f->d, link_flow_span(f, send), "the SEND is instruction %" PRIu32, send);
}

/* SEND_DONE at i. */
static void end_message(const struct flow_check *f, struct message_walk *m, bool top, uint32_t i) {
    if (m->open && !top) {
        link_flow_error(f, i,
                        "SEND_DONE at instruction %" PRIu32
                        " stands inside an ensemble; it follows MOVE_DONE",
                        i);
        note_send(f, m->open - 1);
    } else if (!m->open && !m->wrong) {
        link_flow_error(f, i, "SEND_DONE at instruction %" PRIu32 " has no SEND", i);
    }
    *m = (struct message_walk){0};
}

/* What stands where the message must go on.  One mistake, one message. */
static void check_inside(const struct flow_check *f, struct message_walk *m, enum mpu_op op,
                         bool top, uint32_t i) {
    uint32_t send = m->open - 1;
    if (i == m->open && op != OP_MOVE && op != OP_GMOVE)
        link_flow_error(
            f, i,
            "SEND encloses one transfer ensemble or one GMOVE, and %s at instruction %" PRIu32
            " begins none",
            isa_info(op)->name, i);
    else if (i > m->open && top)
        link_flow_error(f, i,
                        "SEND_DONE is missing before %s at instruction %" PRIu32
                        ": SEND encloses one transfer ensemble or one GMOVE, and nothing else",
                        isa_info(op)->name, i);
    else
        return;
    note_send(f, send);
    *m = (struct message_walk){.wrong = true};
}

void link_message_step(const struct flow_check *f, struct message_walk *m, enum mpu_op op, bool top,
                       uint32_t i) {
    f->at[i].message = m->open;
    if (op == OP_SEND_DONE) {
        end_message(f, m, top, i);
        return;
    }
    if (m->open)
        check_inside(f, m, op, top, i);
    if (op != OP_SEND && op != OP_RECV)
        return;
    if (!top)
        link_flow_error(f, i,
                        "%s at instruction %" PRIu32
                        " stands inside an ensemble; messages are sent and "
                        "received at top level",
                        isa_info(op)->name, i);
    if (op == OP_SEND)
        *m = (struct message_walk){.open = top ? i + 1 : 0, .wrong = !top};
}

void link_message_end(const struct flow_check *f, const struct message_walk *m, const char *end) {
    if (m->open)
        link_flow_error(f, m->open - 1,
                        "SEND at instruction %" PRIu32 " has no SEND_DONE before the end of %s",
                        m->open - 1, end);
}

void link_program_image(const struct object *o, uint32_t *first, uint32_t *count) {
    const struct entry *last = o->entries.len ? &vec_last(&o->entries) : NULL;
    *first = last ? o->entries.data[0].first_mpu : 0;
    *count = last && !o->geometry.grid_dims ? last->first_mpu + last->mpu_count - *first
                                            : grid_mpus(&o->geometry);
}

void link_check_partners(const struct flow_check *f) {
    uint32_t first, count;
    struct insn x;
    link_program_image(f->o, &first, &count);
    for (uint32_t i = 0; i < f->o->text.len && !diag_full(f->d); i++) {
        if (isa_decode(f->o->text.data[i], &x) != ISA_OK || (x.op != OP_SEND && x.op != OP_RECV) ||
            x.mode != 0 || (uint32_t)x.imm - first < count)
            continue;
        if (count > 1)
            link_flow_error(f, i,
                            "%s names MPU%" PRIi32 "; the program's MPUs are MPU%" PRIu32
                            " to MPU%" PRIu32,
                            isa_info(x.op)->name, x.imm, first, first + count - 1);
        else
            link_flow_error(f, i, "%s names MPU%" PRIi32 "; the program has MPU%" PRIu32 " alone",
                            isa_info(x.op)->name, x.imm, first);
    }
}
