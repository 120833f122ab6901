/* SPDX-License-Identifier: MIT
 * Inside the translation of the flat list.
 *
 * The mask of the prototype is a state of each VRF that follows a register and outlives its
 * ensemble; ours is a bit that begins anew with each ensemble.  So the translation follows, from
 * item to item, which register holds the mask, and brings it back where an ensemble begins, at
 * labels, and at the end of a block.  What joins at a label is found by going through the list
 * until nothing changes, without emitting, before it is emitted. */
#ifndef EZPIM_ERC_TRANSLATE_H
#define EZPIM_ERC_TRANSLATE_H

#include "asm/builder.h"
#include "ezpim/erc/unit.h"

/* What M is in each lane of the VRFs at work. */
enum mask_kind {
    MASK_NONE,    /* 1 in every valid lane */
    MASK_IN,      /* bit 0 of a register */
    MASK_UNKNOWN, /* anything */
};
struct mask_state {
    uint8_t kind, reg;
};

/* A place that jumps lead to, and a label. */
struct erc_entry {
    bool reached, by_cond;
    bool seen;   /* a jump to it was gone through */
    bool around; /* of a JUMP_COND behind an ensemble, and of where it leads: a loop of ensembles */
    /* A routine that begins here meets RETURN before the text ends; before COMPUTE_DONE, too. */
    bool returns, returns_in_body;
    struct mask_state mask;  /* of all jumps to it */
    struct mask_state there; /* behind it, what falls through included */
    uint32_t stale;          /* as in struct translator */
    uint32_t region;         /* of the label */
    bool inside;             /* it stands in an ensemble */
    uint32_t label;          /* the builder's + 1; 0: none yet */
};

struct erc_vrf {
    uint16_t rfh, vrf;
};
struct erc_pair {
    uint16_t from, to;
};

/* An open `if` or `while`. */
struct erc_frame {
    const struct erc_item *item;
    bool changed;    /* SETMASK or UNMASK in it */
    uint32_t region; /* that it began in */
    uint32_t epoch;
    uint8_t gm;
    unsigned set;     /* of scratch registers */
    uint64_t written; /* registers, in it */
    struct mask_state outer;
    uint32_t stale;     /* behind the parts before */
    uint32_t head, end; /* the builder's labels of a while */
};

enum scratch {
    SCRATCH_X,
    SCRATCH_Y,
    SCRATCH_KEEP,   /* the mask while JUMP_COND looks at another one */
    SCRATCH_PARKED, /* a mask that is in no register, between ensembles */
    SCRATCH_FRAMES, /* two for each set and depth: the mask around it, the lanes that remain */
};

enum erc_transfer { TRANSFER_NONE, TRANSFER_MOVE, TRANSFER_SEND };

struct translator {
    struct erc_unit *u;
    struct builder *b;         /* NULL while entries are searched */
    struct erc_entry *entries; /* [items] */
    bool entries_changed, give_in;
    const struct erc_item *item; /* at hand */
    struct mask_state mask;
    uint32_t stale; /* number of the line that may have left T at 1; 0: T is 0 */
    uint8_t fresh;  /* the register that GETMASK has just written + 1; 0: none */
    bool dead;      /* nothing leads here but labels */
    /* Regions are the ensembles, and the subroutines that stand outside of them. */
    uint32_t region, regions;
    bool behind_label;                /* a subroutine may have begun */
    bool in_sub;                      /* it has */
    unsigned sub_set, sub_sets;       /* of blocks' scratch registers: of the one at hand, of all */
    bool subs_mask;                   /* some subroutine changes masks */
    uint64_t subs_write;              /* registers that subroutines write */
    bool returns;                     /* there is a RETURN */
    VEC(struct erc_vrf) active, last; /* last: of the ensemble that has ended */
    bool open;                        /* the header of the ensemble is out */
    uint32_t epoch;                   /* counts changes of `active` */
    uint32_t *named;                  /* [rfhs * 64]: number of the list that names the VRF */
    uint32_t list;                    /* number of `active`, counted where it is emptied */
    struct mask_state *masks;         /* [rfhs * 64]: of each VRF between ensembles */
    uint32_t masked;                  /* VRFs that have one */
    VEC(uint32_t) waiting;            /* labels that go behind the header to come: items */
    VEC(struct erc_pair) pairs;
    enum erc_transfer transfer;
    bool moving; /* the headers of the transfer ensemble are out */
    uint32_t mpu;
    VEC(struct erc_frame) frames;
    VEC(int8_t) scratch; /* by enum scratch; -1: none yet */
    uint64_t taken;      /* registers: by the program and as scratch */
    uint64_t written;    /* registers, by the item at hand */
    bool *said;          /* [instructions of the table] */
    bool said_nested;
};

/* Instructions at the place of the item at hand. */
void erc_put(struct translator *translator, enum mpu_op op, unsigned width, unsigned rs,
             unsigned rt, unsigned rd);
void erc_put_insn(struct translator *translator, const struct insn *insn);
void erc_put_plain(struct translator *translator, enum mpu_op op);
/* Labels of the builder; nothing while entries are searched. */
uint32_t erc_new_label(struct translator *translator);
void erc_put_label(struct translator *translator, uint32_t label);
void erc_put_jump(struct translator *translator, enum mpu_op op, uint32_t label);
/* A register that the program does not name; 0 after reporting that there is none. */
uint8_t erc_scratch(struct translator *translator, unsigned which);
/* The instructions of the item's template. */
void erc_put_template(struct translator *translator, const struct erc_insn *insn,
                      const int32_t *operand);

/* Messages when the list is translated for good: at the item's line; errors once a line. */
void erc_translate_error(struct translator *translator, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void erc_translate_warn(struct translator *translator, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static inline uint32_t line_number(const struct translator *translator) {
    return translator->u->lines.data[translator->item->line].number + 1;
}

/* Ensembles.  Lanes are wanted: begins the ensemble that is due; false, after a message, if there
 * are none. */
bool erc_enter(struct translator *translator);
void erc_leave(struct translator *translator);
/* No VRF is at work any more. */
void erc_deactivate(struct translator *translator);
/* An ensemble that asks the VRFs of the last one whether T is 0 somewhere; false: there was none.
 */
bool erc_put_question(struct translator *translator);
void erc_translate_compute(struct translator *translator);
void erc_translate_transfer(struct translator *translator);
void erc_end_transfer(struct translator *translator);
/* Labels that wait for a header get it. */
void erc_settle(struct translator *translator);

/* Masks. */
bool erc_mask_same(struct mask_state left, struct mask_state right);
void erc_mask_restore(struct translator *translator, struct mask_state state);
void erc_mask_keep(struct translator *translator, unsigned which); /* M to a scratch register */
void erc_translate_setmask(struct translator *translator);
void erc_translate_unmask(struct translator *translator);
/* The mask follows its register. */
void erc_mask_follow(struct translator *translator);
/* if, elif, else, endif, while, endwhile. */
void erc_translate_block(struct translator *translator);

/* Labels and jumps. */
void erc_translate_label(struct translator *translator);
void erc_bind_label(struct translator *translator, uint32_t item);
void erc_translate_jump(struct translator *translator);
void erc_translate_return(struct translator *translator);
/* What is known of all jumps' targets before the first pass. */
void erc_survey_jumps(struct translator *translator);

#endif
