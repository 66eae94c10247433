/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/* The interface between value_count.bpf.c and value_counter.cc; C and C++ include it. */
#pragma once

enum value_marks { /* replaced in each copy of the program */
                   kNumberMark = 0x1eed0001,
                   kOffsetMark,
                   kShiftMark,
                   kSignedMark,
};

enum value_limits {
  kFilteredFields = 16, /* only the first fields may have filters */
};

/* Counters of one field. With bounds: slot 0 is below the first, slot N at or above the Nth. */
enum value_slots {
  kNegative = 0,
  kZero = 1,
  kFirstPower = 2, /* 2^n ≤ value < 2^(n+1) counts in kFirstPower + n */
  kMostBounds = 64,
  kSum = 70, /* of all values, modulo 2^64 */
  kSlots = 72,
};
