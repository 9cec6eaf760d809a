/* Lists of datatypes: one makes a kernel for each of them, another enters these in a table by datatype. A kernel is
 * named after what it does and the datatype: add_int8. */
#pragma once

#include "tensor/datatype.h"
#include <stdint.h>

#define EACH_UNSIGNED(MAKE) MAKE(uint8, uint8_t) MAKE(uint16, uint16_t) MAKE(uint32, uint32_t) MAKE(uint64, uint64_t)
#define EACH_SIGNED(MAKE)   MAKE(int8, int8_t) MAKE(int16, int16_t) MAKE(int32, int32_t) MAKE(int64, int64_t)
#define EACH_REAL(MAKE)     MAKE(fp32, float) MAKE(fp64, double)
#define EACH_INTEGER(MAKE)  EACH_UNSIGNED(MAKE) EACH_SIGNED(MAKE)
#define EACH_NUMBER(MAKE)   EACH_INTEGER(MAKE) EACH_REAL(MAKE)

#define OF_UNSIGNED(NAME)                                                                                              \
    [DATATYPE_UINT8] = NAME##_uint8, [DATATYPE_UINT16] = NAME##_uint16, [DATATYPE_UINT32] = NAME##_uint32,             \
    [DATATYPE_UINT64] = NAME##_uint64
#define OF_SIGNED(NAME)                                                                                                \
    [DATATYPE_INT8] = NAME##_int8, [DATATYPE_INT16] = NAME##_int16, [DATATYPE_INT32] = NAME##_int32,                   \
    [DATATYPE_INT64] = NAME##_int64
#define OF_INTEGERS(NAME) OF_UNSIGNED(NAME), OF_SIGNED(NAME)
#define OF_REALS(NAME)    [DATATYPE_FP32] = NAME##_fp32, [DATATYPE_FP64] = NAME##_fp64
#define OF_FLOATS(NAME)   OF_REALS(NAME), [DATATYPE_FP16] = NAME##_fp16, [DATATYPE_BF16] = NAME##_bf16
