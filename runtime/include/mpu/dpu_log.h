/* SPDX-License-Identifier: MIT
 * dpu_log_read stands in dpu.h. */
#ifndef MPU_DPU_LOG_H
#define MPU_DPU_LOG_H
#include "dpu.h"
#endif
