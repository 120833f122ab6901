/* SPDX-License-Identifier: MIT
 * One DPU at work: 24 tasklets over IRAM, WRAM and MRAM, each instruction at its cycle.
 *
 * Time: a tasklet issues `interval` cycles after its last issue at the earliest; one instruction
 * issues a cycle, that of the tasklet that has been ready for longest, of equally old ones that
 * with the lowest number.  One engine moves bytes between MRAM and the others: a transfer begins
 * when it is issued and the engine is free, keeps the engine, and wakes its tasklet.  What a
 * transfer moves is there at once; a tasklet that waits for it sees no difference. */
#ifndef MACHINES_CORE_DPU_RUN_CORE_H
#define MACHINES_CORE_DPU_RUN_CORE_H

#include "machines/core/dpu/dpu.h"

/* In cycles, or thousandths of them. */
struct dpu_time {
    uint32_t interval;
    uint32_t busy_milli, busy_byte_milli;         /* how long a transfer keeps the engine */
    uint32_t read_milli, write_milli, byte_milli; /* until it wakes its tasklet */
};
/* As measured on silicon by PrIM. */
#define DPU_TIME_MEASURED ((struct dpu_time){11, 34400, 527, 77000, 61000, 500})

enum dpu_idle {
    DPU_IDLE_INTERVAL, /* tasklets have issued too lately */
    DPU_IDLE_DMA,      /* some wait for a transfer */
    DPU_IDLE_STOPPED,  /* none waits for a transfer, and some stand still or are done */
    DPU_IDLES
};
struct dpu_counters {
    uint64_t cycles, instructions;
    uint64_t classes[DPU_CLASSES];
    uint64_t idle[DPU_IDLES];                          /* cycles without an instruction */
    uint64_t read_bytes, reads, written_bytes, writes; /* of MRAM */
};

enum dpu_fault {
    DPU_FINE,
    DPU_FAULT_ADDRESS,   /* a load or store beyond WRAM */
    DPU_FAULT_ALIGNMENT, /* of one */
    DPU_FAULT_DMA_WRAM,  /* a transfer beyond WRAM */
    DPU_FAULT_DMA_IRAM,
    DPU_FAULT_DMA_MRAM,
    DPU_FAULT_PC,         /* no instruction is there */
    DPU_FAULT_UNKNOWN,    /* an instruction whose effect is not published */
    DPU_FAULT_TASKLET,    /* boot or resume of number 24 or above */
    DPU_FAULT_PROGRAM,    /* `fault n` */
    DPU_FAULT_BREAKPOINT, /* `bkp` */
    DPU_FAULT_WATCHDOG,
    DPU_FAULT_DEADLOCK, /* all stopped, tasklet 0 to be resumed by others */
};
struct dpu_trouble {
    enum dpu_fault fault;
    uint32_t tasklet, pc;
    uint32_t address, bytes; /* of a memory; `n` of DPU_FAULT_PROGRAM */
};

/* An instruction that is about to be carried out. */
struct dpu_event {
    uint64_t cycle;
    uint32_t tasklet, pc;
    uint64_t word;
};
typedef void dpu_watcher(void *context, const struct dpu_event *event);

struct dpu_core;
struct dpu_core *dpu_core_new(const struct dpu_time *time);
void dpu_core_free(struct dpu_core *core);
/* What was there is gone: memories, registers, counters. */
void dpu_core_load(struct dpu_core *core, const struct dpu_program *p);
/* The same in two parts, with MRAM as it is: another program, whose WRAM is 0; and what its
 * sections hold. */
void dpu_core_change(struct dpu_core *core, const struct dpu_program *p);
void dpu_core_data(struct dpu_core *core, const struct dpu_program *p);
/* dpu_core_change to the program of another core, which has done nothing since its own: words need
 * not be decoded again. */
void dpu_core_change_as(struct dpu_core *core, const struct dpu_core *other);
/* Tasklet 0 begins at instruction 0; runs until all have stopped, which is true, or something is
 * wrong.  Registers, memories and atomic bits are those that the last run left; time goes on. */
bool dpu_core_run(struct dpu_core *core, uint64_t most_instructions);
/* Of all runs since it was loaded. */
void dpu_core_counters(const struct dpu_core *core, struct dpu_counters *out);
/* The same without classes, which are 0: they take a look at each instruction. */
void dpu_core_totals(const struct dpu_core *core, struct dpu_counters *out);
/* How often the instruction at that place was carried out. */
uint64_t dpu_core_executed(const struct dpu_core *core, uint32_t pc);
const struct dpu_trouble *dpu_core_trouble(const struct dpu_core *core);
/* What is wrong, appended; places are named by symbols of the program (NULL: by number alone). */
void dpu_core_explain(const struct dpu_core *core, const struct dpu_program *p, struct str *out);
void dpu_core_watch(struct dpu_core *core, dpu_watcher *watcher, void *context);

/* False beyond the memory; MRAM from 0 on. */
bool dpu_core_wram_put(struct dpu_core *core, uint32_t at, const void *bytes, uint32_t size);
bool dpu_core_wram_get(const struct dpu_core *core, uint32_t at, void *bytes, uint32_t size);
bool dpu_core_mram_put(struct dpu_core *core, uint32_t at, const void *bytes, uint32_t size);
bool dpu_core_mram_get(const struct dpu_core *core, uint32_t at, void *bytes, uint32_t size);
/* The page of that address, DPU_PAGE_BYTES from a multiple of that on; NULL: all of it is 0. */
const uint8_t *dpu_core_mram_page(const struct dpu_core *core, uint32_t at);
/* Bytes of MRAM that the host has memory for. */
uint64_t dpu_core_mram_held(const struct dpu_core *core);
uint32_t dpu_core_register(const struct dpu_core *core, uint32_t tasklet, uint32_t number);
void dpu_core_set_register(struct dpu_core *core, uint32_t tasklet, uint32_t number,
                           uint32_t value);

#endif
