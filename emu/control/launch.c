/* SPDX-License-Identifier: MIT
 * RECIPE of a kernel: all MPUs that have not ended wait for each other and for what they issued,
 * and the whole machine is launched once. */
#include "emu/control/state.h"

#include "support/alloc.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

bool control_launch_waits(const struct control *control) {
    for (size_t i = 0; i < control->streams.list.len; i++) {
        const struct stream *s = control->streams.list.data[i];
        if (s->state != STREAM_AT_LAUNCH || s->flow.pc != control->streams.list.data[0]->flow.pc)
            return false;
    }
    return control->streams.list.len != 0;
}

static const struct recipe_call *call_at(const struct control *control, uint32_t pc) {
    return object_call(control->program, &control->text.insns[pc]);
}

static const struct kernel_decl *kernel_at(const struct control *control, uint32_t pc) {
    const struct recipe_call *c = call_at(control, pc);
    return c ? object_call_kernel(control->program, c) : NULL;
}

static uint32_t kernel_number(const struct control *control, uint32_t pc) {
    return (uint32_t)(kernel_at(control, pc) - control->program->kernels.data);
}

bool control_launch_begin(struct control *control) {
    if (!kernel_at(control, control->top.pc) || !control->package->launches)
        return control_stop(control, CONTROL_STOPPED, STOP_AT(control->top.pc),
                            "RECIPE of nothing that the machine carries out");
    control->now->state = STREAM_AT_LAUNCH;
    return true;
}

/* ---- arguments ---- */

static uint64_t argument(const struct control *control, const struct kernel_argument *x) {
    uint64_t number = x->size != NO_INDEX ? (uint64_t)control->package->sizes[x->size] : x->number;
    return x->buffer != NO_INDEX ? control->config.buffers[x->buffer] + number : number;
}

static uint64_t stride(const struct control *control, const struct kernel_argument *x) {
    bool sliced = x->buffer != NO_INDEX && control->config.strides;
    return sliced ? control->config.strides[x->buffer] : 0;
}

static uint64_t total_bytes(const struct control *control, const struct kernel_argument *x) {
    if (x->buffer == NO_INDEX)
        return 0;
    const struct buffer_decl *b = &control->program->buffers.data[x->buffer];
    uint64_t bytes =
        sat_mul(object_buffer_elements(b, control->package->sizes), object_element_bytes(b->type));
    return bytes > x->number ? bytes - x->number : 0;
}

/* Of a buffer that is split; else 0. */
static uint64_t own_bytes(const struct control *control, const struct kernel_argument *x) {
    if (x->buffer == NO_INDEX || !control->config.strides)
        return 0;
    struct package_layout l =
        package_buffer_layout(control->package, control->program, control->target, x->buffer);
    return l.layout == LAYOUT_SPLIT ? l.own : 0;
}

/* The parameters as they lie: *x gets arguments [parameter_count of the kernel] and bytes. */
static void lay_parameters(const struct control *control, const struct kernel_decl *kernel,
                           const struct recipe_call *call, struct dp_argument *arguments,
                           unsigned char bytes[KERNEL_MAX_PARAMETER_BYTES], struct dp_launch *x) {
    uint32_t end = 0;
    for (uint32_t i = 0; i < kernel->parameter_count; i++) {
        const struct kernel_parameter *p = &kernel->parameters[i];
        uint32_t at = object_parameter_offset(p, end), size = object_parameter_bytes(p);
        memset(bytes + end, 0, at - end);
        arguments[i] = (struct dp_argument){at,
                                            size,
                                            p->kind == PARAMETER_NUMBER && p->type.kind == TYPE_INT,
                                            stride(control, &call->arguments[i]),
                                            total_bytes(control, &call->arguments[i]),
                                            own_bytes(control, &call->arguments[i])};
        end = at + size;
        if (call->arguments[i].bytes) {
            memcpy(bytes + at, call->arguments[i].bytes, size);
            continue;
        }
        uint64_t value = argument(control, &call->arguments[i]);
        for (uint32_t k = 0; k < size; k++)
            bytes[at + k] = (unsigned char)(value >> 8 * k);
    }
    x->arguments = arguments;
    x->argument_count = kernel->parameter_count;
    x->parameters = bytes;
    x->parameter_bytes = end;
}

/* ---- the launch ---- */

/* A launch that goes on for long asks for the limits of the run. */
struct asking {
    struct control *control;
    uint32_t pc;
    uint64_t cycles; /* at the last question */
    VEC(struct dp_bar) bars;
};

static void take_bar(void *context, const struct dp_bar *bar) {
    struct asking *a = context;
    if (a->bars.len <= SPAN_MOST_BARS)
        vec_push(&a->bars, *bar);
}

static bool go_on(void *context, uint64_t cycles) {
    struct asking *a = context;
    control_account_elapsed(a->control, cycles - a->cycles);
    a->cycles = cycles;
    return control_may_go_on(a->control, a->pc);
}

/* "fault.ez:11" of a line of a kernel's text, if its file is known. */
static void describe_line(const struct control *control, const struct kernel_decl *kernel,
                          uint32_t line, struct str *out) {
    struct place at = object_kernel_line(control->program, kernel, line);
    if (at.file != NO_INDEX)
        str_printf(out, "%s:%u", control->program->files.data[at.file], (unsigned)at.line);
    else
        str_printf(out, "line %u of its text", (unsigned)line);
}

/* At a pc of what was made of the kernel, or a line of its text. */
static void stop_at(struct control *control, uint32_t pc, uint32_t stopped, uint32_t line) {
    const struct kernel_decl *k = kernel_at(control, pc);
    const struct package_kernel *made = &control->package->kernels[kernel_number(control, pc)];
    const char *why = diag_first(control->diag);
    struct str text = {0};
    if (stopped != UINT32_MAX)
        str_printf(&text, ", pc %u", (unsigned)stopped);
    if (stopped < made->line_count)
        line = made->lines[stopped];
    if (line) {
        str_append(&text, ", ");
        describe_line(control, k, line, &text);
    }
    const struct message *said = diag_waiting(control->diag);
    for (size_t i = 0; said && i < said->note_count; i++)
        control_note(control, NO_INDEX, said->notes[i].text);
    control->ended.names_kernel = true;
    control_stop(control, CONTROL_STOPPED, STOP_AT(pc), "kernel '%s'%s: %s", k->name,
                 str_text(&text), why ? why : "it stopped");
    str_free(&text);
}

static uint64_t extent(const struct control *control, const struct extent *extent) {
    return (uint64_t)package_launch_extent(control->package, extent);
}

static void lay_out(const struct control *control, const struct launch_geometry *geometry,
                    struct dp_launch *x) {
    const struct extent *e = geometry->extent;
    for (unsigned i = 0; i < LAUNCH_DIMS; i++) {
        x->grid[i] = (uint32_t)extent(control, &e[LAUNCH_GRID + i]);
        x->block[i] = (uint32_t)extent(control, &e[LAUNCH_BLOCK + i]);
    }
    x->bytes = extent(control, &e[LAUNCH_BYTES]);
    x->units = (uint32_t)extent(control, &e[LAUNCH_UNITS]);
    x->first_unit = (uint32_t)extent(control, &e[LAUNCH_FIRST]);
}

/* Which units of all rounds the machine's are in this one; that they are not too many was looked at
 * when the program was packaged. */
static void number_units(const struct control *control, struct dp_launch *x) {
    uint64_t units = (uint64_t)control->target->mpus * target_vrfs_per_mpu(control->target);
    if (control->package->rounds < 2)
        return;
    x->units_before = (uint32_t)(units * control->account.stats.rounds);
    x->all_units = (uint32_t)(units * control->package->rounds);
}

/* Somebody watches times, and the machine has something to show. */
static bool draws(const struct control *control) {
    return control->timing && control->config.span && control->dp->tables.track_count;
}

static bool launch(struct control *control, uint32_t pc, struct asking *asking,
                   struct dp_cost *cost) {
    const struct recipe_call *c = call_at(control, pc);
    const struct kernel_decl *k = kernel_at(control, pc);
    const struct package_kernel *made = &control->package->kernels[kernel_number(control, pc)];
    struct dp_argument *arguments = xcalloc((size_t)k->parameter_count + 1, sizeof *arguments);
    unsigned char parameters[KERNEL_MAX_PARAMETER_BYTES];
    uint32_t stopped = UINT32_MAX, line = 0;
    struct dp_launch x = {.kernel = made->code,
                          .size = made->size,
                          .decl = k,
                          .pool = control->dp->observed ? NULL : control->spread.pool,
                          .part_ps = control->spread.part_ps,
                          .go_on = go_on,
                          .bar = draws(control) ? take_bar : NULL,
                          .context = asking,
                          .stopped = &stopped,
                          .line = &line};
    lay_parameters(control, k, c, arguments, parameters, &x);
    x.shared = k->entry && control->config.modules ? control->config.modules[k->module] : 0;
    if (c->geometry)
        lay_out(control, c->geometry, &x);
    number_units(control, &x);
    bool fine = control->dp->ops->launch(control->dp, &x, cost, control->diag);
    free(arguments);
    if (fine) {
        uint64_t cycles =
            control->target->datapath_ps ? cost->ps / control->target->datapath_ps : 0;
        control_account_elapsed(control, cycles > asking->cycles ? cycles - asking->cycles : 0);
        return true;
    }
    if (control->ended.how == CONTROL_DONE)
        stop_at(control, pc, stopped, line);
    return false;
}

/* Registers that kernels write are not what a counting run knew of them. */
static void forget(struct control *control, uint32_t pc) {
    const uint8_t *bits = control->package->kernels[kernel_number(control, pc)].reg_bits;
    for (unsigned r = 0; r < 64; r++)
        if (bits[r])
            control_count_forget_registers(control, r, 1);
}

/* Each stream issues it; all go on behind it. */
static void issue(struct control *control) {
    control->launching = true;
    for (size_t i = 0; i < control->streams.list.len; i++) {
        control_stream_enter(control, control->streams.list.data[i]);
        control_account_top(control, control->top.pc);
        control_stream_suspend(control);
    }
    control->launching = false;
}

static void go_behind(struct control *control) {
    for (size_t i = 0; i < control->streams.list.len; i++) {
        control_stream_enter(control, control->streams.list.data[i]);
        control->top.pc++;
        control->now->state = STREAM_READY;
        control_stream_suspend(control);
    }
}

/* When the machine begins, the host having started it, for observers: all MPUs are there. */
static uint64_t begin_ps(const struct control *control) {
    uint64_t ready = 0;
    for (uint32_t i = 0; i < control->mpu_count; i++) {
        uint64_t now = control_account_now(control, control->mpus[i]);
        ready = control_stream_of(control, control->mpus[i]) && now > ready ? now : ready;
    }
    return sat_add(ready, control->target->launch_ps);
}

/* ---- checking ---- */

/* The buffer in which a byte of memory lies, and which byte of its array it is, or of its slice in
 * a unit; NO_INDEX: it lies in none. */
static uint32_t buffer_at(const struct control *control, uint64_t address, uint64_t *byte,
                          uint32_t *unit) {
    const struct object *o = control->program;
    uint32_t found = NO_INDEX;
    for (uint32_t i = 0; i < o->buffers.len; i++)
        if (control->config.buffers[i] <= address &&
            (found == NO_INDEX || control->config.buffers[i] > control->config.buffers[found]))
            found = i;
    if (found == NO_INDEX)
        return NO_INDEX;
    uint64_t stride = control->config.strides ? control->config.strides[found] : 0;
    *byte = address - control->config.buffers[found];
    *unit = stride ? (uint32_t)(*byte / stride) : NO_INDEX;
    *byte = stride ? *byte % stride : *byte;
    uint64_t size = object_element_bytes(o->buffers.data[found].type) *
                    object_buffer_elements(&o->buffers.data[found], control->package->sizes);
    return *byte < size ? found : NO_INDEX;
}

static uint64_t number_at(const unsigned char *bytes, unsigned size) {
    uint64_t value = 0;
    for (unsigned i = 0; i < size; i++)
        value |= (uint64_t)bytes[i] << 8 * i;
    return value;
}

/* "buffer 'y', element 12 of unit 3: 0x5 on strict, 0x7 on golden"; of machines that compose, on
 * fused. */
static void describe_memory(const struct control *control, const struct check_memory *differs,
                            struct str *out) {
    uint64_t byte = 0;
    uint32_t unit = NO_INDEX,
             buffer = buffer_at(control, differs->address + differs->byte, &byte, &unit);
    unsigned size = 1, first = differs->byte;
    if (buffer == NO_INDEX) {
        str_printf(out, "the byte at 0x%" PRIx64, differs->address + differs->byte);
    } else {
        size = object_element_bytes(control->program->buffers.data[buffer].type);
        first -= (unsigned)(byte % size) < first ? (unsigned)(byte % size) : first;
        str_printf(out, "buffer '%s', element %" PRIu64,
                   control->program->buffers.data[buffer].name, byte / size);
        if (unit != NO_INDEX)
            str_printf(out, " of unit %u", (unsigned)unit);
    }
    if (first + size > differs->size)
        size = differs->size - first;
    str_printf(out, ": 0x%" PRIx64 " on %s, 0x%" PRIx64 " on golden",
               number_at(differs->strict + first, size), differs->engine,
               number_at(differs->golden + first, size));
}

/* False after stopping where what the kernel left is not what golden's interpreter leaves. */
static bool left_the_same(struct control *control, uint32_t pc) {
    struct check_memory differs;
    struct str text = {0};
    if (!control->config.check || !control->config.buffers ||
        !check_memory_differs(control->dp, &differs))
        return true;
    const struct kernel_decl *k = kernel_at(control, pc);
    describe_memory(control, &differs, &text);
    if (differs.line) {
        str_append(&text, ", as ");
        describe_line(control, k, differs.line, &text);
        str_append(&text, " leaves it");
    } else {
        str_append(&text, ", where its text writes nothing");
    }
    control_stop(control, CONTROL_DIFFERS, STOP_AT(pc), "kernel '%s', launch %" PRIu64 ", %s",
                 k->name, sat_add(control->config.launched, control->account.stats.launches),
                 str_text(&text));
    str_free(&text);
    return false;
}

bool control_launch(struct control *control) {
    uint32_t pc = control->streams.list.data[0]->flow.pc;
    struct dp_cost cost = {.begin_ps = begin_ps(control),
                           .known = !control->config.cost_unknown,
                           .uops = control->account.answer_uops,
                           .energy_fj = control->account.answer_fj,
                           .kind_fj = control->account.launch_kind_fj};
    const struct control_kernel_stats *places =
        control_account_kernel(control, pc, kernel_number(control, pc));
    if (places) {
        cost.places = places->places;
        cost.place_figures = places->figures;
        cost.place_count = places->place_count;
    }
    issue(control);
    control_stream_enter(control, control->streams.list.data[0]);
    forget(control, pc);
    control->account.whole |= package_kernel_whole(control->package, control->program,
                                                   kernel_number(control, pc), control->target);
    struct asking asking = {.control = control, .pc = pc};
    bool fine = !control->config.buffers || launch(control, pc, &asking, &cost);
    control_account_launch(control, pc, &cost, asking.bars.data, fine ? asking.bars.len : 0);
    vec_free(&asking.bars);
    control_stream_suspend(control);
    if (fine)
        go_behind(control);
    return fine && left_the_same(control, pc) && control_machine_is_sound(control, pc);
}
