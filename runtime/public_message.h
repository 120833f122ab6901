/* SPDX-License-Identifier: MIT
 * Passes messages of the library on to a consumer of the public API. */
#ifndef RUNTIME_PUBLIC_MESSAGE_H
#define RUNTIME_PUBLIC_MESSAGE_H

#include "runtime/include/mpu/mpu.h"
#include "support/diag.h"

void public_message_tell(mpu_message_function *consumer, void *context, const struct diag *diag,
                         const struct message *m);

#endif
