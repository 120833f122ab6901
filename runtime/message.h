/* SPDX-License-Identifier: MIT
 * Messages of the library on their way to a consumer of the public API. */
#ifndef RUNTIME_MESSAGE_H
#define RUNTIME_MESSAGE_H

#include "runtime/include/mpu/mpu.h"
#include "support/diag.h"

void message_tell(mpu_message_function *consumer, void *context, const struct diag *d,
                  const struct message *m);

#endif
