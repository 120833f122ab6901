/* SPDX-License-Identifier: MIT
 * The registers of the interpreter's machine (machine.h) in a session, whose VRFs have four times
 * its lanes. */
#ifndef TESTS_ERC_SESSION_H
#define TESTS_ERC_SESSION_H

#include "runtime/include/mpu/mpu.h"
#include "support/str.h"
#include "tests/erc/machine.h"

/* Registers 0 to named-1 of all VRFs of the machine, to the session; and back: false, and the first
 * difference in *why. */
void session_put(mpu_session *s, const struct machine *machine, unsigned named);
bool session_same(mpu_session *s, const struct machine *machine, unsigned named, struct str *why);

#endif
