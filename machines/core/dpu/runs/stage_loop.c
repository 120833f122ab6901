/* SPDX-License-Identifier: MIT
 * The loop around the stages of a kernel on one DPU: as many rows a lap as IRAM has room for. */
#include "machines/core/dpu/runs/stage_loop.h"
#include "machines/core/dpu/runs/stage_layout.h"

#include "support/alloc.h"

#include <inttypes.h>
#include <stdlib.h>

#define MOST_UNROLLED  8u
#define FILLS_PIPELINE 11u /* tasklets (docs/dpu.md) */

enum stage_outcome { FINE, TOO_LONG, REFUSED };

static bool refuse_code(struct str *wrong) {
    str_append(wrong, "an operation of it has no code on a DPU");
    return false;
}
static bool code_of(struct dpu_stage_layout *l, struct scalar_body *b, struct str *out,
                    struct scalar_code *code, struct str *wrong) {
    const struct scalar_places places = {dpu_stage_place_at, dpu_stage_place_table, l,
                                         DPU_STAGE_OWN_CALLED + l->called, l->registers};
    scalar_id none = 0;
    if (scalar_emit(dpu_scalar_core(), b, &places, out, code, &none))
        return true;
    return refuse_code(wrong);
}

/* Code of both laps, with what is known of places. */
static bool laps(struct dpu_stage_layout *l, struct scalar_body *fast, struct scalar_body *slow,
                 struct str *texts, struct scalar_code *code, struct dpu_stage_about *about,
                 struct str *wrong) {
    struct scalar_body copies[2] = {{.from = 0}, {.from = 0}};
    const struct scalar_body *from[2] = {fast, slow};
    bool fine = true;
    *code = (struct scalar_code){.instructions = 0};
    for (unsigned i = fast->values.len ? 0 : 1; i < 2 && fine; i++) {
        for (size_t k = 0; k < from[i]->values.len; k++)
            vec_push(&copies[i].values, from[i]->values.data[k]);
        str_clear(&texts[i]);
        fine = code_of(l, &copies[i], &texts[i], code, wrong);
        if (i == 0 || !fast->values.len) {
            about->lap = code->instructions + l->pointers + 1;
            about->spills = code->spills;
        }
        l->stack = code->stack > l->stack ? code->stack : l->stack;
    }
    str_clear(&texts[2]);
    uint32_t called = 0;
    if (fine &&
        !scalar_emit_called(dpu_scalar_core(), DPU_STAGE_OWN_CALLED, &texts[2], code, &called))
        fine = refuse_code(wrong);
    l->called = dpu_stage_up8(called);
    scalar_free(&copies[0]);
    scalar_free(&copies[1]);
    return fine;
}

static enum stage_outcome text_of(struct dpu_stage_layout *l, struct scalar_body *fast,
                                  struct scalar_body *slow, uint32_t unrolled, struct str *out,
                                  struct dpu_stage_about *about, struct str *wrong) {
    struct str texts[3] = {{0}, {0}, {0}}, text = {0};
    struct scalar_code code = {0};
    enum stage_outcome outcome = REFUSED;
    scalar_finish(fast);
    scalar_finish(slow);
    bool fine = dpu_stage_name_registers(l, wrong) && dpu_stage_lay(l, wrong);
    /* Twice: how large the stack is shows itself with the code. */
    for (unsigned i = 0; fine && i < 2; i++) {
        scalar_code_free(&code);
        fine = laps(l, fast, slow, texts, &code, about, wrong) && dpu_stage_lay(l, wrong);
    }
    if (fine) {
        dpu_stage_whole_text(&text, l, texts, unrolled, &code);
        about->words = dpu_words_of(str_text(&text));
        about->block = l->block;
        about->unrolled = unrolled;
        /* Large rows leave no room for tasklets that fill the pipeline: fewer of them may. */
        const bool idle = l->tasklets < FILLS_PIPELINE && l->tasklets < l->loop->tasklets;
        outcome = about->words > l->loop->iram_words || (idle && unrolled > 1) ? TOO_LONG : FINE;
    }
    if (outcome == FINE) {
        str_append(out, str_text(&text));
        dpu_stage_make_plan(l);
    }
    scalar_code_free(&code);
    for (unsigned i = 0; i < 3; i++)
        str_free(&texts[i]);
    str_free(&text);
    return outcome;
}

/* What is tried: rows of which everything is there so many a lap, 0: all rows one by one, under
 * masks; loops stay loops though they could be written out. */
struct stage_attempt {
    uint32_t unrolled;
    bool all_loops;
};
static enum stage_outcome attempt(struct dpu_stage_layout *l, const struct stage_attempt *how,
                                  struct str *out, struct dpu_stage_about *about, struct str *wrong,
                                  uint32_t *line) {
    struct scalar_stage *s = l->s;
    l->unrolled = how->unrolled ? how->unrolled : 1;
    struct scalar_body fast = {.from = 0}, slow = {.from = 0};
    enum stage_outcome outcome = REFUSED;
    bool fine = scalar_stage_open(s, l->loop->kernel);
    s->all_loops = how->all_loops;
    fine = fine && scalar_from_stage(&slow, s, 1, true);
    /* Of a row that alone has so many values, more rows have no room; of one that has loops they
     * are of no use. */
    const bool hopeless =
        fine && how->unrolled > 1 && (slow.values.len > 2 * l->loop->iram_words || s->loops.len);
    if (fine && !hopeless && how->unrolled)
        fine = scalar_from_stage(&fast, s, how->unrolled, false);
    l->at = xcalloc(3 * s->arrays.len + 1, sizeof *l->at);
    l->cursor = l->at + s->arrays.len;
    l->length_at = l->cursor + s->arrays.len;
    if (hopeless || s->too_long)
        outcome = TOO_LONG;
    else if (fine)
        outcome = text_of(l, &fast, &slow, how->unrolled, out, about, wrong);
    else
        str_append(wrong, str_text(&s->wrong));
    *line = outcome == TOO_LONG ? scalar_stage_largest(s) : outcome == REFUSED ? s->line : 0;
    free(l->at);
    str_free(&l->tables);
    scalar_free(&fast);
    scalar_free(&slow);
    scalar_stage_close(s);
    return outcome;
}

bool dpu_stage_text(const struct dpu_stage_loop *loop, struct str *out, struct dpu_stage_plan *plan,
                    uint32_t *numbers, struct dpu_stage_about *about, struct str *wrong,
                    uint32_t *line) {
    const uint32_t most = loop->most_unrolled ? loop->most_unrolled : MOST_UNROLLED;
    const struct stage_attempt attempts[] = {{8, false}, {4, false}, {2, false}, {1, false},
                                             {0, false}, {1, true},  {0, true}};
    enum stage_outcome outcome = TOO_LONG;
    for (size_t i = 0; i < sizeof attempts / sizeof *attempts && outcome == TOO_LONG; i++) {
        struct scalar_stage s;
        struct dpu_stage_layout l = {.loop = loop, .s = &s, .plan = plan, .numbers = numbers};
        if (attempts[i].unrolled > most)
            continue;
        for (uint32_t p = 0; p < loop->kernel->decl->parameter_count; p++)
            numbers[p] = NO_INDEX;
        *plan = (struct dpu_stage_plan){.tasklets = 0};
        *about = (struct dpu_stage_about){.block = 0};
        outcome = attempt(&l, &attempts[i], out, about, wrong, line);
    }
    if (outcome == TOO_LONG)
        str_printf(wrong,
                   "its code has %" PRIu32
                   " instructions, most of them of this stage, and IRAM room for %" PRIu32,
                   about->words, loop->iram_words);
    return outcome == FINE;
}
