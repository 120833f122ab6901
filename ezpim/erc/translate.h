/* SPDX-License-Identifier: MIT
 * Inside the translation of the flat list.
 *
 * The mask of the prototype is a pointer of each VRF to a register; it outlives the ensemble, and
 * the mask changes when the register does.  Ours is a bit that begins anew with each ensemble.  So
 * the translation follows, from item to item, which registers the pointers may lead to, and sets
 * the mask from the register where an ensemble begins, at labels, behind instructions that write
 * the register, and at the end of a block.  What joins at a label is found by going through the
 * list until nothing changes, without emitting, before it is emitted.  Where the text does not
 * decide (VRFs with different pointers in one ensemble, ways that join at a label), each VRF
 * carries its pointer in a scratch register, one bit for each register that some mask follows. */
#ifndef EZPIM_ERC_TRANSLATE_H
#define EZPIM_ERC_TRANSLATE_H

#include "asm/builder.h"
#include "ezpim/erc/unit.h"

/* Where the pointers of the VRFs at work may lead: to one of some registers or, with `none`,
 * nowhere, which enables all lanes.  Neither: nothing comes here. */
struct mask_state {
    uint64_t registers; /* bit r */
    bool none;
};

/* A place that jumps lead to, and a label. */
struct erc_entry {
    bool reached, by_cond;
    bool seen;   /* a jump to it was gone through */
    bool around; /* of a JUMP_COND behind an ensemble, and of where it leads: a loop of ensembles */
    /* A routine that begins here meets RETURN before the text ends; before COMPUTE_DONE, too. */
    bool returns, returns_in_body;
    struct mask_state mask; /* of all jumps to it */
    uint32_t stale;         /* as in struct translator */
    uint32_t region;        /* of the label */
    bool inside;            /* it stands in an ensemble */
    uint32_t label;         /* the builder's + 1; 0: none yet */
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
    uint32_t region; /* that it began in */
    uint32_t epoch;
    uint8_t gm;
    unsigned set; /* of scratch registers */
    uint64_t own; /* registers that it, or a block in it, names for masks */
    struct mask_state outer;
    /* Without scratch: the mask around is in its own register, which nothing in the block writes,
     * and the lanes that remain follow from those of the parts. */
    bool outer_stays, parts_stay;
    bool sets_t;        /* something in it may have left T at 1 since its begin, or since `elif` */
    uint32_t head, end; /* the builder's labels of a while */
};

/* X and Y are wanted for an instruction, the others for longer. */
enum scratch {
    SCRATCH_X,
    SCRATCH_Y,
    SCRATCH_POINTER, /* the pointer of the VRF: bit 0 none, bit k the k-th register of `followed` */
    SCRATCH_MASK,    /* a mask that was worked out from the pointer */
    SCRATCH_FRAMES,  /* FRAME_SCRATCH for each set and depth */
};
/* The mask around a block, the lanes that remain, the pointer around it. */
enum { FRAME_OUTER, FRAME_REMAINING, FRAME_POINTER, FRAME_SCRATCH };

/* The items of a loop or a block that stands in no other one, with the blocks and loops that
 * overlap it.  Where it wants scratch, registers that it does not name go to VRFs that the program
 * does not name before it, and come back behind it. */
struct erc_stretch {
    uint32_t begin, end; /* items, the last one included */
    uint64_t free;       /* registers that nothing in it names or follows */
    unsigned wanted;     /* of them, the highest ones */
    bool usable;         /* there are VRFs at work, and room for their words */
};

/* A register of the program that is lent as scratch for an instruction.  Nobody reads its word any
 * more, or that lies above the scratch meanwhile, or in VRFs that the program does not name. */
enum erc_loan_kind { LOAN_NONE, LOAN_DEAD, LOAN_ASIDE, LOAN_SAVED };
struct erc_loan {
    enum erc_loan_kind kind;
    uint8_t reg;
};
enum { MOST_LOANS = 6 };

struct erc_access {
    uint8_t reads, writes;
};

enum erc_transfer { TRANSFER_NONE, TRANSFER_MOVE, TRANSFER_SEND };

/* What the prototype takes T for. */
enum erc_taken { TAKEN_AS_CARRY, TAKEN_AS_ANSWER, TAKEN_COUNT };

struct translator {
    struct erc_unit *u;
    struct builder *b;         /* NULL while entries are searched */
    struct erc_entry *entries; /* [items] */
    bool entries_changed, give_in;
    size_t made; /* instructions of the pass */
    /* Found on the way, and kept from one pass to the next. */
    bool pointers;      /* some VRF must carry its pointer */
    bool loose;         /* pointers between ensembles are not known by the order of the text */
    uint64_t displaced; /* registers whose words lie above long-lived scratch */
    struct mask_state returned; /* at the RETURNs */
    /* Known before the first pass. */
    uint64_t followed; /* registers that SETMASK or blocks name */
    uint64_t copied;   /* registers that copies name, or that messages may write */
    uint32_t named_times[64];
    struct erc_access *access; /* [instructions of the table] */
    bool *loses_lanes; /* [items] a lane that is enabled before it may be disabled behind it */
    uint64_t *live;    /* [items] registers that are read there or behind before they are written */
    uint64_t rows;     /* VRFs that the program names in some RFH */
    bool *vrfs;        /* [rfhs * 64] that COMPUTE names */
    bool subs_mask;    /* some subroutine changes pointers */
    uint64_t subs_own; /* registers that blocks in subroutines name for masks */
    uint64_t subs_change;        /* registers that subroutines may write or take for masks */
    const struct erc_item *item; /* at hand */
    struct mask_state mask;
    uint32_t stale; /* number of the line that may have left T at 1; 0: T is 0 */
    uint8_t fresh;  /* the register that GETMASK has just written + 1; 0: none */
    bool dead;      /* nothing leads here but labels */
    /* Those of the list in their order; the one at hand or the next one. */
    VEC(struct erc_stretch) stretches;
    uint32_t stretch;
    bool stretches_grew;
    /* Regions are the ensembles, and the subroutines that stand outside of them. */
    uint32_t region, regions;
    bool behind_label;                /* a subroutine may have begun */
    bool in_sub;                      /* it has */
    unsigned sub_set, sub_sets;       /* of blocks' scratch registers: of the one at hand, of all */
    VEC(struct erc_vrf) active, last; /* last: of the ensemble that has ended */
    bool open;                        /* the header of the ensemble is out */
    bool repointed;                   /* pointers changed in it */
    uint32_t epoch;                   /* counts changes of `active` */
    uint32_t *named;                  /* [rfhs * 64]: number of the list that names the VRF */
    uint32_t list;                    /* number of `active`, counted where it is emptied */
    struct mask_state *masks;         /* [rfhs * 64]: of each VRF between ensembles */
    uint32_t masked;                  /* VRFs whose pointer may lead to a register */
    VEC(uint32_t) waiting;            /* labels that go behind the header to come: items */
    VEC(struct erc_pair) pairs;
    enum erc_transfer transfer;
    bool moving; /* the headers of the transfer ensemble are out */
    uint32_t mpu;
    VEC(struct erc_frame) frames;
    VEC(int8_t) scratch;               /* by enum scratch; -1: none yet */
    uint64_t taken;                    /* registers: by the program and as scratch */
    uint64_t displacing;               /* registers of the program among the scratch */
    struct erc_loan loans[MOST_LOANS]; /* SCRATCH_X, SCRATCH_Y, and for displaced operands */
    uint32_t saved_at;                 /* item that last ended an ensemble to save a word */
    uint64_t written;                  /* registers, by the item at hand */
    bool all_lanes;                    /* all are enabled, whatever the mask is to be */
    uint64_t said_followed;            /* registers */
    bool *said;                        /* [instructions of the table] */
    /* Lines that take T where it may be 1, as carry and as answer; each line counts once a pass. */
    uint8_t *takes_stale; /* [lines]: bit of enum erc_taken */
    uint32_t stale_lines[TAKEN_COUNT], stale_lines_before[TAKEN_COUNT]; /* the last pass found */
    /* What is said once: of an instruction in place, of a stretch of what is left out. */
    bool said_nested, said_in_place, said_no_lanes, said_no_copies, said_none;
};

/* Instructions at the place of the item at hand. */
void erc_put(struct translator *translator, enum isa_op op, unsigned width, unsigned rs,
             unsigned rt, unsigned rd);
void erc_put_insn(struct translator *translator, const struct insn *insn);
void erc_put_plain(struct translator *translator, enum isa_op op);
/* Labels of the builder; nothing while entries are searched. */
uint32_t erc_new_label(struct translator *translator);
void erc_put_label(struct translator *translator, uint32_t label);
void erc_put_jump(struct translator *translator, enum isa_op op, uint32_t label);
/* Bits that a copy takes: the least of 8, 16, 32, 64 that hold a word.  Above them nothing of the
 * program's lies. */
unsigned erc_container(const struct translator *translator);
/* A scratch register: one that the program does not name, else one of the program's whose word is
 * put aside; 0 after reporting that there is none. */
uint8_t erc_scratch(struct translator *translator, unsigned which);
/* Asking for it puts a word aside, in the lanes that are enabled then. */
bool erc_scratch_is_lent(const struct translator *translator, unsigned which);
/* SCRATCH_X and SCRATCH_Y are not wanted any more; all lanes that had them lent are enabled. */
void erc_return_loans(struct translator *translator);
void erc_return_loan(struct translator *translator, unsigned which);
/* The words of these registers lie where instructions find them, until erc_hide. */
void erc_expose(struct translator *translator, uint64_t registers);
void erc_hide(struct translator *translator, uint64_t registers);
/* What is known of registers before the first pass. */
void erc_survey_registers(struct translator *translator);
void erc_survey_lives(struct translator *translator);
/* Stretches: once before the first pass; around each item; a register of the one at hand that is no
 * scratch yet, or -1. */
void erc_survey_stretches(struct translator *translator);
void erc_begin_stretch(struct translator *translator, uint32_t index);
void erc_end_stretch(struct translator *translator, uint32_t index);
int erc_take_from_stretch(struct translator *translator);
/* All that the one at hand lends. */
uint64_t erc_lent_by_stretch(const struct translator *translator);
/* Registers that are lent for the instruction at hand. */
uint64_t erc_lent(const struct translator *translator);
/* Registers that a part of a block, or the block, takes for its masks. */
uint64_t erc_taken_for_masks(const struct erc_item *item);
/* Registers whose words somebody reads behind the item before they are written. */
uint64_t erc_live_behind(const struct translator *translator, uint32_t index);
/* Pointers and displaced words, in all VRFs: at the begin, and before the end. */
void erc_put_prologue(struct translator *translator);
void erc_put_epilogue(struct translator *translator);
/* The operands, bit k, that a template reads before it writes them, and those it writes. */
struct erc_access erc_template_access(const struct erc_insn *insn, unsigned width);
/* There is no register for this long-lived scratch, which is not there yet. */
bool erc_scratch_lacks(const struct translator *translator, unsigned which);
/* Registers that the item writes by its template. */
uint64_t erc_item_writes(const struct translator *translator, const struct erc_item *item);
/* Scratch for an instruction would have to be saved in other VRFs. */
bool erc_is_cramped(const struct translator *translator, const struct erc_insn *insn);
/* The item's instruction without scratch, in words of more than 32 bits; false, and nothing is put,
 * where that cannot be. */
bool erc_put_in_place(struct translator *translator);
/* The instructions of the item's template. */
void erc_put_template(struct translator *translator, const struct erc_insn *insn,
                      const int32_t *operand);

/* Messages when the list is translated for good: at the item's line; errors once a line. */
void erc_translate_error(struct translator *translator, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void erc_translate_warn(struct translator *translator, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The block at hand, and with it those around, may leave T at 1. */
void erc_frame_sets_t(struct translator *translator);
/* The item at hand takes T, which the line `stale`, if there is one, may have left at 1: said at
 * the first such line, with the number of those that follow.  The message begins with `who`. */
void erc_take_stale(struct translator *translator, enum erc_taken taken, const char *who);
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
/* The words of a register in all VRFs at work go to VRFs that the program does not name, and come
 * back; the ensemble is ended and begun again.  Saving is false, and nothing is done, where it must
 * not end or there are no such VRFs. */
bool erc_save_words(struct translator *translator, unsigned reg);
void erc_load_words(struct translator *translator, unsigned reg);
/* The words of these registers, at the end of an ensemble, to VRFs that the program does not name,
 * or back from there. */
void erc_copy_words(struct translator *translator, uint64_t registers, bool back);
/* There are as many of them as the VRFs at work take. */
bool erc_has_room_beside(const struct translator *translator);
void erc_translate_compute(struct translator *translator);
void erc_translate_transfer(struct translator *translator);
void erc_end_transfer(struct translator *translator);
/* Labels that wait for a header get it. */
void erc_settle(struct translator *translator);

/* Masks. */
static inline struct mask_state erc_mask_in(unsigned reg) {
    return (struct mask_state){UINT64_C(1) << reg, false};
}
#define ERC_NO_MASK ((struct mask_state){0, true})
bool erc_mask_same(struct mask_state left, struct mask_state right);
struct mask_state erc_mask_join(struct mask_state left, struct mask_state right);
/* The text alone does not say which register, if any. */
static inline bool erc_mask_open(struct mask_state state) {
    return state.registers && (state.none || (state.registers & (state.registers - 1)));
}
/* M to what the pointers lead to. */
void erc_mask_restore(struct translator *translator, struct mask_state state);
/* Pointers of the VRFs at work lead there from here on: writes them down where VRFs carry theirs,
 * which enables all lanes.  M is not set. */
void erc_mask_point(struct translator *translator, struct mask_state state);
unsigned erc_pointer_width(const struct translator *translator);
/* Bit 0 of register `to`: whether the pointer leads to `reg`. */
void erc_mask_chosen(struct translator *translator, unsigned reg, unsigned to);
/* Of all VRFs between ensembles, where the text does not say. */
struct mask_state erc_mask_any(const struct translator *translator);
void erc_translate_setmask(struct translator *translator);
void erc_translate_unmask(struct translator *translator);
/* The mask follows its register, if the item at hand writes it. */
void erc_mask_follow(struct translator *translator);
/* Blocks without scratch: whether the block at hand can do without, and the lanes that no part of
 * it took yet, as M and in its gm, with T = 0 in all of the block around. */
bool erc_block_outer_stays(const struct translator *translator, struct mask_state outer);
bool erc_block_parts_stay(const struct translator *translator, struct mask_state outer);
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
