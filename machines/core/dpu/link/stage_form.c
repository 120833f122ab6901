/* SPDX-License-Identifier: MIT
 * Kernels of form `stage` on DPUs: a program for each, arrays in slices of as many elements as the
 * kernel's rows have, what is seen whole the same in all, what is gathered on the first. */
#include "machines/core/dpu/link/dpu_link.h"
#include "machines/core/dpu/packed_kernel.h"
#include "machines/core/dpu/runs/stage_loop.h"

#include "support/alloc.h"

#include <inttypes.h>
#include <stdlib.h>

#define TASKLETS 16u

/* Nothing is wrong with the text: no DPU carries it out. */
static void fault_beyond(struct machine_kernel_fault *fault) {
    str_append(&fault->what, ": it needs an `else` for this target");
    fault->beyond = true;
}

/* ---- the program of a kernel ---- */

static void report(struct machine_kernel_fault *fault, const struct diag *from) {
    const char *first = diag_first(from);
    str_printf(&fault->what, "its code does not assemble: %s", first ? first : "");
}

/* Elements of the largest buffer that each array stands for. */
static uint64_t *elements_of(const struct machine_launches *launches, uint32_t kernel,
                             const struct stage_kernel *text) {
    const struct object *o = launches->object;
    uint64_t *list = xcalloc((size_t)text->array_count + 1, sizeof *list);
    for (size_t i = 0; i < o->calls.len; i++)
        for (uint32_t a = 0; a < text->array_count; a++) {
            const uint32_t p = text->arrays[a]->parameter;
            if (p == NO_INDEX ||
                object_call_kernel(o, &o->calls.data[i]) != &o->kernels.data[kernel])
                continue;
            const uint32_t b = o->calls.data[i].arguments[p].buffer;
            uint64_t n = object_buffer_elements(&o->buffers.data[b], launches->sizes);
            list[a] = n > list[a] ? n : list[a];
        }
    return list;
}

static bool make_text(const struct machine_library *l, const struct machine_launches *launches,
                      const struct dpu_staged *k, struct str *text, struct dpu_stage_plan *plan,
                      uint32_t *numbers, struct machine_kernel_fault *fault) {
    const struct dpu_keys *keys = dpu_keys(l->target);
    uint32_t tasklets = keys->run_tasklets ? keys->run_tasklets : TASKLETS;
    uint64_t *elements = elements_of(launches, k->kernel, k->text);
    struct dpu_stage_about about;
    const struct dpu_stage_loop loop = {
        .kernel = k->text,
        .elements = elements,
        .tasklets = tasklets < keys->tasklets ? tasklets : keys->tasklets,
        .wram_bytes = keys->wram_bytes,
        .iram_words = keys->iram_instructions,
        .rows = k->rows < UINT32_MAX ? (uint32_t)k->rows : UINT32_MAX,
    };
    bool fine = dpu_stage_text(&loop, text, plan, numbers, &about, &fault->what, &fault->line);
    plan->rows = loop.rows;
    free(elements);
    if (!fine)
        fault_beyond(fault);
    return fine;
}

/* Lines of the stage text by instruction: of those that stop, where. */
static void note_lines(const struct dpu_program *p, const struct dpu_stage_plan *plan,
                       struct machine_kernel *out) {
    out->line_count = (uint32_t)p->words.len;
    out->lines = xcalloc(p->words.len + 1, sizeof *out->lines);
    for (uint32_t i = 0; i < p->words.len; i++) {
        struct dpu_insn insn;
        struct dpu_form form;
        if (!dpu_decode(p->words.data[i], false, &insn))
            continue;
        dpu_form_get(insn.form, &form);
        if (form.op == DPU_OP_FAULT && insn.values[0] > 0 &&
            (uint64_t)insn.values[0] <= plan->sites.len)
            out->lines[i] = plan->sites.data[insn.values[0] - 1].line;
    }
}

static bool pack(const struct kernel_decl *decl, const struct str *text,
                 struct dpu_stage_plan *plan, const uint32_t *numbers, struct machine_kernel *out,
                 struct machine_kernel_fault *fault) {
    struct diag *d = diag_new(NULL, NULL);
    struct dpu_program *p = dpu_assemble(decl->name, str_text(text), text->len, d);
    if (!p)
        report(fault, d);
    diag_free(d);
    if (!p)
        return false;
    struct dpu_kernel made = {.count = decl->parameter_count,
                              .unit_at = DPU_NO_SYMBOL,
                              .units_at = DPU_NO_SYMBOL,
                              .staged = true,
                              .plan = *plan};
    made.parameters = xcalloc(decl->parameter_count + 1u, sizeof *made.parameters);
    for (uint32_t i = 0; i < decl->parameter_count; i++) {
        /* Buffers are in the plan. */
        const bool number = decl->parameters[i].kind == PARAMETER_NUMBER && numbers[i] != NO_INDEX;
        made.parameters[i] = (struct dpu_parameter){
            .own = !number,
            .at = number ? numbers[i] : 0,
            .bytes = number ? object_parameter_bytes(&decl->parameters[i]) : 0};
    }
    dpu_kernel_write(&made, p, &out->code);
    note_lines(p, plan, out);
    free(made.parameters);
    dpu_program_free(p);
    return true;
}

/* ---- what others leave behind slices ---- */

static bool writes(const struct stage_kernel *text, uint32_t parameter) {
    for (const struct stage_stage *s = text->stages; s; s = s->next)
        for (const struct stage_param *q = s->params; q; q = q->next)
            if (text->arrays[q->array]->parameter == parameter && q->role != STAGE_IN &&
                q->role != STAGE_WHOLE)
                return true;
    return false;
}
static const struct dpu_staged *staged_of(const struct dpu_stagings *s, uint32_t kernel) {
    for (size_t i = 0; i < s->list.len; i++)
        if (s->list.data[i].kernel == kernel)
            return &s->list.data[i];
    return NULL;
}
/* Whether the buffer is one that some launch of the program uses so; what is no stage may do
 * anything with it. */
typedef bool stage_use(const struct stage_kernel *text, uint32_t parameter);
static bool is_used(const struct machine_launches *launches, const struct dpu_stagings *s,
                    uint32_t buffer, stage_use *use) {
    const struct object *o = launches->object;
    for (size_t i = 0; i < o->calls.len; i++) {
        const struct kernel_decl *k = object_call_kernel(o, &o->calls.data[i]);
        for (uint32_t p = 0; k && p < k->parameter_count; p++) {
            if (o->calls.data[i].arguments[p].buffer != buffer)
                continue;
            const struct dpu_staged *staged = staged_of(s, (uint32_t)(k - o->kernels.data));
            if (!staged || use(staged->text, p))
                return true;
        }
    }
    return false;
}
static void note_stale(const struct machine_launches *launches, const struct dpu_stagings *s,
                       const struct dpu_staged *k, struct dpu_stage_plan *plan) {
    const struct object *o = launches->object;
    for (size_t i = 0; i < plan->blocks.len; i++) {
        struct dpu_stage_block *b = &plan->blocks.data[i];
        const uint32_t p = k->text->arrays[b->array]->parameter;
        for (size_t c = 0; c < o->calls.len && b->beyond_bytes; c++)
            if (object_call_kernel(o, &o->calls.data[c]) == &o->kernels.data[k->kernel])
                b->stale |= is_used(launches, s, o->calls.data[c].arguments[p].buffer, writes);
    }
}

/* ---- what the host puts together ---- */

/* Whether the kernel reads the buffer as other launches leave it. */
static bool reads(const struct stage_kernel *text, uint32_t parameter) {
    for (const struct stage_stage *s = text->stages; s; s = s->next) {
        bool made = false;
        for (const struct stage_param *q = s->params; q; q = q->next) {
            const bool is = text->arrays[q->array]->parameter == parameter;
            const bool tail = q->tail != NO_INDEX && text->arrays[q->tail]->parameter == parameter;
            if (tail ||
                (is && (q->role == STAGE_IN || q->role == STAGE_INOUT || q->role == STAGE_WHOLE)))
                return true;
            made |= is && q->role == STAGE_OUT;
        }
        if (made)
            return false;
    }
    return false;
}
static void note_read(const struct machine_launches *launches, const struct dpu_stagings *s,
                      const struct dpu_staged *k, struct dpu_stage_plan *plan) {
    const struct object *o = launches->object;
    for (uint32_t a = 0; a < k->text->array_count; a++) {
        const uint32_t p = k->text->arrays[a]->parameter;
        bool is = false;
        for (size_t c = 0; c < o->calls.len && p != NO_INDEX; c++)
            if (object_call_kernel(o, &o->calls.data[c]) == &o->kernels.data[k->kernel])
                is |= is_used(launches, s, o->calls.data[c].arguments[p].buffer, reads);
        if (is)
            vec_push(&plan->read, ((struct dpu_stage_read){a}));
    }
}

/* ---- machine_form ---- */

static bool compile(const struct machine_library *l, const struct machine_launches *launches,
                    const struct kernel_decl *decl, struct machine_kernel *out,
                    struct machine_kernel_fault *fault) {
    const uint32_t number = (uint32_t)(decl - launches->object->kernels.data);
    struct dpu_stagings all;
    uint32_t whose = number;
    if (!launches->sizes)
        return true; /* no registers of the MPU */
    bool fine = dpu_stagings_open(l, launches, &all, &whose, fault);
    const bool beyond = !fine && !fault->line;
    if (!fine && whose != number) { /* the other one says so itself */
        str_clear(&fault->what);
        str_printf(&fault->what, "kernel '%s' cannot be carried out",
                   launches->object->kernels.data[whose].name);
        fault->line = fault->column = 0;
        fault->beyond = beyond;
    } else if (beyond) {
        fault_beyond(fault);
    }
    const struct dpu_staged *k = fine ? staged_of(&all, number) : NULL;
    struct str text = {0};
    struct dpu_stage_plan plan = {.tasklets = 0};
    uint32_t *numbers = xcalloc(decl->parameter_count + 1u, sizeof *numbers);
    fine = k && make_text(l, launches, k, &text, &plan, numbers, fault);
    if (fine) {
        note_stale(launches, &all, k, &plan);
        note_read(launches, &all, k, &plan);
        fine = pack(decl, &text, &plan, numbers, out, fault);
    }
    dpu_stage_plan_free(&plan);
    free(numbers);
    str_free(&text);
    dpu_stagings_close(&all);
    return fine;
}

/* Bytes beyond a slice that windows of any kernel see. */
static void note_beyond(const struct machine_launches *launches, const struct dpu_staged *k,
                        const struct dpu_stage_plan *plan, uint64_t *beyond) {
    const struct object *o = launches->object;
    for (size_t c = 0; c < o->calls.len; c++) {
        if (object_call_kernel(o, &o->calls.data[c]) != &o->kernels.data[k->kernel])
            continue;
        for (size_t i = 0; i < plan->blocks.len; i++) {
            const uint32_t p = k->text->arrays[plan->blocks.data[i].array]->parameter,
                           b = o->calls.data[c].arguments[p].buffer;
            if (plan->blocks.data[i].beyond_bytes > beyond[b])
                beyond[b] = plan->blocks.data[i].beyond_bytes;
        }
    }
}
static uint64_t whole_bytes(const struct machine_launches *launches, uint32_t buffer) {
    const struct buffer_decl *b = &launches->object->buffers.data[buffer];
    const uint64_t bytes =
        object_buffer_elements(b, launches->sizes) * object_element_bytes(b->type);
    return bytes < 8 ? 8 : (bytes + 7) / 8 * 8;
}
/* What the host alone sees is on the first DPU, where the copies of others are not asked for. */
static void want(struct machine_launches *launches, const struct dpu_stagings *all,
                 const struct dpu_staged *k, const uint64_t *beyond) {
    const struct object *o = launches->object;
    for (size_t c = 0; c < o->calls.len; c++) {
        if (object_call_kernel(o, &o->calls.data[c]) != &o->kernels.data[k->kernel])
            continue;
        for (uint32_t a = 0; a < k->text->array_count; a++) {
            const struct stage_array *x = k->text->arrays[a];
            if (x->parameter == NO_INDEX)
                continue;
            const uint32_t b = o->calls.data[c].arguments[x->parameter].buffer;
            const bool split = x->use == STAGE_ELEMENTS && k->per[a];
            struct machine_buffer lies = {LAYOUT_SAME, 0, 0};
            const bool gathered = x->use != STAGE_ELEMENTS && !is_used(launches, all, b, reads);
            if (gathered)
                lies = (struct machine_buffer){LAYOUT_SPLIT, whole_bytes(launches, b), 0};
            if (split)
                lies = (struct machine_buffer){
                    LAYOUT_SPLIT, k->rows * k->per[a] * object_element_bytes(x->type), beyond[b]};
            machine_want_buffer(launches, k->kernel, b, lies);
        }
    }
}

/* The texts were compiled before. */
static void lie(const struct machine_library *l, struct machine_launches *launches) {
    struct machine_kernel_fault fault = {.line = 0};
    struct dpu_stagings all;
    uint32_t whose = 0;
    uint64_t *beyond = xcalloc(launches->object->buffers.len + 1, sizeof *beyond);
    bool fine = dpu_stagings_open(l, launches, &all, &whose, &fault);
    for (size_t i = 0; i < all.list.len && fine; i++) {
        const struct dpu_staged *k = &all.list.data[i];
        struct str text = {0};
        struct dpu_stage_plan plan = {.tasklets = 0};
        uint32_t *numbers = xcalloc((size_t)k->text->decl->parameter_count + 1, sizeof *numbers);
        fine = make_text(l, launches, k, &text, &plan, numbers, &fault);
        if (fine)
            note_beyond(launches, k, &plan, beyond);
        dpu_stage_plan_free(&plan);
        free(numbers);
        str_free(&text);
    }
    for (size_t i = 0; i < all.list.len && fine; i++)
        want(launches, &all, &all.list.data[i], beyond);
    dpu_stagings_close(&all);
    free(beyond);
    str_free(&fault.what);
}

const struct machine_form dpu_stage_form = {.name = "stage",
                                            .whole = true,
                                            .takes = TAKES_COUNT, /* slices lie from the first on */
                                            .compile = compile,
                                            .lie = lie,
                                            .print = dpu_kernel_print};
