/* SPDX-License-Identifier: MIT
 * What there is no room for in memory: forms that neither the library nor the machine keeps, and
 * steps of runs.  Each call that needs them makes them of its own, of one instruction at a time, so
 * that memory does not grow with the program. */
#include "machines/plane/run/insn_forms.h"
#include "support/alloc.h"

#include <assert.h>

static void let_go(struct plane_form *form) {
    free(form->uops);
    free(form->steps);
    form->uops = NULL;
    form->steps = NULL;
}

/* A device's programs may end before their code does, and tables with them; it forgets what was
 * used longest ago. */
void plane_form_settle(struct plane_machine *machine, struct dp_code *code, size_t insn,
                       const struct plane_origin *origin) {
    struct plane_form *form = (struct plane_form *)(uintptr_t)code->forms[insn];
    if (form->kept || machine->setup.bits ||
        plane_room_take(&machine->form_room, plane_form_bytes(form)))
        return;
    if (!code->origins)
        code->origins = xcalloc(code->insn_count, sizeof *code->origins);
    code->origins[insn] = *origin;
    let_go(form);
}

void plane_form_leave(struct plane_machine *machine, struct plane_form *form) {
    if (form->uops && !machine->setup.bits)
        machine->form_room += plane_form_bytes(form);
    plane_form_free(form);
}

static void forget(struct plane_anew *anew) {
    if (anew->form && !anew->form->kept)
        plane_form_free(anew->form);
    anew->form = NULL;
}

/* What was made once is made again: the form names the registers that it did. */
const struct plane_form *plane_anew_form(struct plane_machine *machine, struct plane_anew *anew,
                                         const struct dp_code *code, size_t insn) {
    struct plane_registers registers;
    if (code->forms[insn]->uops)
        return code->forms[insn];
    if (anew->form && anew->form_of == insn)
        return anew->form;
    forget(anew);
    anew->maker.machine = machine;
    anew->form = plane_form_get(&anew->maker, &code->origins[insn].insn, code->origins[insn].masked,
                                &registers);
    anew->form_of = insn;
    assert(anew->form && anew->form->uop_count == code->forms[insn]->uop_count);
    return anew->form;
}

const struct plane_step *plane_anew_steps(struct plane_machine *machine, struct plane_anew *anew,
                                          const struct dp_code *code, size_t insn) {
    const struct plane_form *form = NULL;
    if (anew->steps.len > 0 && anew->steps_of == insn)
        return anew->steps.data;
    form = plane_anew_form(machine, anew, code, insn);
    vec_reserve(&anew->steps, form->step_count + 1);
    plane_form_place(machine, form, &code->registers[insn], false, anew->steps.data);
    anew->steps.len = form->step_count;
    anew->steps_of = insn;
    return anew->steps.data;
}

void plane_anew_free(struct plane_anew *anew) {
    forget(anew);
    vec_free(&anew->steps);
    plane_form_maker_free(&anew->maker);
}
