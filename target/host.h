/* SPDX-License-Identifier: MIT
 * The host's link (docs/targets.md, "Host link"): which way the bytes of a transfer take, and how
 * long that is.
 *
 * A file that names no modes has one way: HOST_SERIAL with host.bytes_per_s for the whole chip,
 * without set-up.  A file that names some, but not `serial`, has this HOST_SERIAL besides. */
#ifndef TARGET_HOST_H
#define TARGET_HOST_H

#include "target/target.h"

/* Direction of a transfer: from the VRFs, to them, or the same data to all of them. */
enum host_way { HOST_OUT, HOST_IN, HOST_SAME };

/* The part of a transfer that is one VRF's. */
struct host_slice {
    uint32_t vrf; /* its number: target_vrfs_per_mpu */
    uint64_t bytes;
};

/* How a transfer that the host was asked for is carried out. */
struct host_transfer {
    enum host_mode_kind mode;
    uint64_t transfers; /* that were set up: HOST_SERIAL has one for each VRF */
    uint64_t bytes;     /* over the link */
    uint64_t padding;   /* how many of these were added so that every VRF has as many */
    uint64_t time_ps;
};

bool target_has_host_modes(const struct target *target);
/* The numbers of a mode; HOST_SERIAL always has some, but a bandwidth of 0 means that nothing is
 * known of it. */
struct host_mode target_host_mode(const struct target *target, enum host_mode_kind kind);

/* The rule by which a mode is chosen.  HOST_SAME: HOST_BROADCAST where the file has it, else
 * HOST_SERIAL.  Others: HOST_PARALLEL where the file has it, there are several slices, and in each
 * MPU all but the last of them are as large as the largest of all; else HOST_SERIAL.  MPUs ascend
 * in the list. */
enum host_mode_kind target_host_choose(const struct target *target, enum host_way way,
                                       const struct host_slice *slices, size_t count);

/* A transfer by the mode that this rule chooses.  Units of the mode's scope work at once, so the
 * time is that of the slowest unit:
 *
 *   HOST_SERIAL  n x setup + bytes / bandwidth        n VRFs of a unit with so many bytes together
 *   others       setup + max(n x m / bandwidth, m / bandwidth of HOST_SERIAL)
 *                                                     m: bytes of the largest slice
 *
 * each quotient rounded up to a ps.  Where the mode's bandwidth is that of a stated number of VRFs
 * (host_mode.vrfs), fewer have another one: HOST_SERIAL's is that of one, host_mode.fewer has
 * others, and between two of these numbers it is a power of the number (assumed), in whole bytes
 * per second.  The second term of the maximum keeps a slice that shares a way
 * with few others from being faster than it would be alone.  0 where no bandwidth is known. */
struct host_transfer target_host_transfer(const struct target *target, enum host_way way,
                                          const struct host_slice *slices, size_t count);

/* The time of a transfer by HOST_SERIAL for one VRF, or for the chip as a whole. */
uint64_t target_host_serial_ps(const struct target *target, enum host_way way, uint64_t bytes);
/* The link's energy for so many bytes, whatever way they take. */
uint64_t target_host_fj(const struct target *target, uint64_t bytes);
/* Time, rounded up, and energy of turning elements of so many bytes into planes, or back. */
uint64_t target_host_transpose_ps(const struct target *target, uint64_t bytes);
uint64_t target_host_transpose_fj(const struct target *target, uint64_t bytes);

#endif
