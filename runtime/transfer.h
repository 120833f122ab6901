/* SPDX-License-Identifier: MIT
 * Data of a session between the host and the machine, and what each transfer costs. */
#ifndef RUNTIME_TRANSFER_H
#define RUNTIME_TRANSFER_H

#include "linker/package/element_place.h"
#include "runtime/buffer_slices.h"
#include "runtime/session.h"

/* ---- put.c, get.c ---- */
/* Takes the array over, or copies it if it is borrowed, and empties it; after a failure it is still
 * the caller's. */
mpu_result session_put_diag(mpu_session *session, const char *name, struct ndarray *array,
                            const struct data_source *from, struct diag *diag);
/* Writes to the machine, which exists, and charges. */
mpu_result session_put_now(mpu_session *session, const struct pending_put *put, struct diag *diag);
/* Puts the .data records, before anything else is put.  `again`: only those whose variables a run
 * consumed and nobody ever put. */
mpu_result session_put_data_records(mpu_session *session, bool again, struct diag *diag);
/* The .data records as puts that wait. */
mpu_result session_data_records(mpu_session *session, struct pending_list *out, struct diag *diag);
/* Reads the elements of the variable that are on the machine into their places in an array of all.
 */
void session_get_here(mpu_session *session, const struct variable *variable, struct ndarray *array);
mpu_result session_get_diag(mpu_session *session, const char *name, struct ndarray *array,
                            struct diag *diag);
/* The same for a caller who gives the array up before the session: its data may be the session's.
 */
mpu_result session_view_diag(mpu_session *session, const char *name, struct ndarray *array,
                             struct diag *diag);
/* Reads a buffer of so many bytes straight into memory of the caller's.  False: the name is none of
 * such a one, and nothing was read. */
bool session_get_into(mpu_session *session, const char *name, void *to, uint64_t bytes);
/* Describes register `index` of a variable and element `index` of its array; the caller fills in
 * where they lie. */
struct dp_elements session_variable_elements(const mpu_session *session,
                                             const struct variable *variable, uint32_t index,
                                             const struct ndarray *array);
/* Visits the elements of a variable with a group that are on the machine, with their places in an
 * array of all elements: VRFs that are neighbours there are visited together, as a row. */
void session_each_row(mpu_session *session, const struct variable *variable,
                      const struct ndarray *array,
                      void (*visit)(struct datapath *dp, const struct dp_elements *x));
/* VRF number of a bare register's VRF, NO_INDEX after reporting. */
uint32_t session_bare_vrf(const mpu_session *session, const struct place_name *place_name,
                          const char *name, struct diag *diag);
uint32_t session_placement_vrf(const mpu_session *session, const struct placement *placement);
/* Where a variable without a group is read; NULL if there is no such place. */
const struct placement *session_first_placement(const struct package *package,
                                                const struct variable *variable);

/* ---- resident.c ---- */
/* The record of a place or a variable that is resident; NULL: it is not. */
struct session_resident *session_resident_register(mpu_session *session,
                                                   const struct place_name *name);
struct session_resident *session_resident_variable(mpu_session *session,
                                                   const struct variable *variable);
struct session_resident *session_resident_buffer(mpu_session *session, uint32_t buffer);
/* Counts a put or a get of it, which costs nothing. */
void session_resident_keep(struct session_resident *resident, enum host_way way,
                           const struct host_slice *slices, size_t count);
/* Who finishes reductions, where that is left open: the device if one of them is resident. */
enum finish_choice session_resident_finish(const mpu_session *session);
/* True unless the package leaves a resident reduction to the host. */
bool session_resident_fits(const mpu_session *session, const struct package *package);
/* False after reporting that a program with this package cannot have resident data. */
bool session_resident_possible(const mpu_session *session, struct diag *diag);
void session_residents_free(mpu_session *session);

/* ---- host_link.c ---- */
/* Charges a put or a get of these bytes of each VRF.  In rounds a transfer without a VRF does not
 * count.  `resident`: the record of the data, or NULL. */
void session_charge(mpu_session *session, struct session_resident *resident, enum host_way way,
                    const struct host_slice *slices, size_t count);
/* The same of bytes of the machine's memory, which need no turning into planes: what the entries of
 * modules share, on its way there; a buffer. */
void session_charge_modules(mpu_session *session);
void session_charge_buffer(mpu_session *session, uint32_t buffer, enum host_way way);
/* Charges a transfer of a variable with a group: of the first `elements` of its elements, those
 * that lie in `here`. */
void session_charge_group(mpu_session *session, const struct package *here,
                          const struct variable *variable, enum host_way way, uint64_t elements);
/* Charges a get of a variable without a group: element 0 of the first group. */
void session_charge_first(mpu_session *session, const struct variable *variable);

/* ---- host_rounds.c ---- */
static inline bool session_in_rounds(const mpu_session *session) {
    return session->package && session->package->rounds > 1;
}
/* The machine is open, and nothing was put. */
mpu_result session_rounds_open(mpu_session *session, struct diag *diag);
void session_rounds_close(mpu_session *session);
/* Puts the inputs of the first round; control_config.next_round then puts those of the others. */
mpu_result session_rounds_begin(mpu_session *session, struct diag *diag);
/* The control path has ended. */
mpu_result session_rounds_end(mpu_session *session);
/* The host has folded what it finishes. */
void session_rounds_finish(mpu_session *session);
/* False after reporting that a put or a run comes too late. */
bool session_rounds_accept(const mpu_session *session, const char *what, struct diag *diag);
/* False after reporting that a get comes too early. */
bool session_rounds_readable(const mpu_session *session, struct diag *diag);
/* What the rounds left of a variable; the array is the session's.  Rounds that were not reached
 * left 0. */
struct ndarray session_rounds_left(const mpu_session *session, const struct variable *variable);
/* Charges a get of the variable: a transfer for each round that had some of it. */
void session_rounds_charge_get(mpu_session *session, const struct variable *variable);

/* ---- host_finish.c ---- */
/* Before a run. */
mpu_result session_finish_begin(mpu_session *session, struct diag *diag);
/* Reads the elements that are on the machine: after a run, or after each round. */
void session_finish_collect(mpu_session *session);
/* Called when all elements are there: folds them. */
void session_finish_end(mpu_session *session);
/* Puts what the host made into an array of the variable's registers. */
void session_finish_give(const mpu_session *session, const struct variable *variable,
                         struct ndarray *array);
void session_finish_close(mpu_session *session);

/* ---- buffers.c ---- */
void session_buffers_new(mpu_session *session);
/* The package turned out to launch none: variables of their names take what was put, and are
 * resident where buffers were to be.  False after reporting a buffer for which none stands. */
bool session_buffers_instead(mpu_session *session, struct diag *diag);
void session_buffers_free(mpu_session *session);
/* What a place that is not bare is to shapes and types. */
const struct variable *session_place_variable(const mpu_session *session,
                                              const struct place_name *place);
/* The variable has the name of a buffer that is there: nobody puts or gets it. */
bool session_stands_for_buffer(const mpu_session *session, uint32_t variable);
/* No instruction but kernels works on VRFs: all lanes of the target are theirs. */
bool session_whole_vrfs(const mpu_session *session);
/* False after reporting that the variable's group needs no room on the target, and has none. */
bool session_is_placed(const mpu_session *session, uint32_t variable, struct diag *diag);
/* Once there is a package: false after reporting that the engine carries out no kernels. */
bool session_kernels_possible(mpu_session *session, struct diag *diag);
/* What kernels ask of a machine that is opened. */
void session_kernels_set_up(mpu_session *session);
/* Memory for all buffers of an open machine. */
bool session_buffers_open(mpu_session *session, struct diag *diag);
/* Rounds: memory for what the round has of all buffers, for the next one to give back. */
bool session_buffers_enter(mpu_session *session, struct diag *diag);
void session_buffers_leave(mpu_session *session);
/* Bytes of all of them, and arrays for these; false after reporting. */
uint64_t session_buffers_bytes(const mpu_session *session);
bool session_buffers_make_kept(mpu_session *session, struct diag *diag);
/* Takes what the round leaves in them. */
bool session_buffers_keep(mpu_session *session, struct diag *diag);
/* Over the host's link to the machine's memory, and back; the array has the buffer's type and
 * shape.  In rounds: to the one at work, and from what all left. */
mpu_result session_buffer_put(mpu_session *session, uint32_t buffer, const struct ndarray *array,
                              struct diag *diag);
/* The same into memory of the caller's, which has so many bytes; false if the buffer has others, or
 * lies in rounds, or after reporting. */
bool session_buffer_read(mpu_session *session, uint32_t buffer, void *to, uint64_t bytes,
                         struct diag *diag);
mpu_result session_buffer_get(mpu_session *session, uint32_t buffer, struct ndarray *array,
                              struct diag *diag);
/* What of it goes in a round over the host's link to or from which VRF, appended: one slice for
 * each unit that has some, halos in, but not out; of copies one out, and in all at once
 * (HOST_SAME). */
void session_buffer_slices(const mpu_session *session, uint32_t buffer, uint64_t round,
                           enum host_way *way, struct session_slices *out);
/* False after reporting inputs without data. */
bool session_buffers_there(const mpu_session *session, struct diag *diag);

#endif
