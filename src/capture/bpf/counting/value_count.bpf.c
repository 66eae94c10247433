// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
// Counts the distribution of tracepoint field values, for value_counter.cc. Each field has a copy of count_value with
// the field's place patched in.
#include "capture/bpf/counting/value_count.h"
#include "abi/sample_filter.h"
#include "capture/bpf/watch.bpf.h"

const volatile __s64 bounds[kMostBounds];
const volatile __u32 bound_count = 0;  // 0: powers of two

// Filters by field; see event/filter/field_filter.h.
const volatile struct sample_filter_step tests[kFilteredFields * kFilterSteps];
const volatile __u32 test_counts[kFilteredFields];

// Always reads eight bytes, and shifts out the bytes that follow a smaller field.
static inline __u64 number_at(void* place, __u32 shift, bool is_signed) {
  __u64 value = 0;
  bpf_probe_read_kernel(&value, sizeof value, place);
  value <<= shift;
  return is_signed ? (__u64)((__s64)value >> shift) : value >> shift;
}

static inline bool holds(const volatile struct sample_filter_step* test, void* context) {
  const bool is_signed = test->bits;
  __u64 value;
  if (test->part == 0xffff)
    value = bpf_get_smp_processor_id();
  else if (test->part == 0xfffe)
    value = (__u32)bpf_get_current_pid_tgid();
  else
    value = number_at(context + test->part, test->shift & 63, is_signed);
  const __u64 wanted = test->value;
  const bool less = is_signed ? (__s64)value < (__s64)wanted : value < wanted;
  switch (test->op) {
    case kFilterEqual:
      return value == wanted;
    case kFilterNotEqual:
      return value != wanted;
    case kFilterLess:
      return less;
    case kFilterLessEqual:
      return less || value == wanted;
    case kFilterGreater:
      return !less && value != wanted;
    case kFilterGreaterEqual:
      return !less;
    case kFilterAnyBit:
      return value & wanted;
  }
  return false;
}

static inline bool is_wanted(__u32 number, void* context) {
  if (number >= kFilteredFields) return true;
  const __u32 count = test_counts[number];
  if (count == 0) return true;
  __u64 stack = 0;  // the top is the lowest bit
  for (__u32 i = 0; i < kFilterSteps && i < count; i++) {
    const volatile struct sample_filter_step* test = &tests[number * kFilterSteps + i];
    if (test->op == kFilterNot)
      stack ^= 1;
    else if (test->op == kFilterAnd)
      stack = (stack >> 1) & (stack | ~1ULL);
    else if (test->op == kFilterOr)
      stack = (stack >> 1) | (stack & 1);
    else
      stack = stack << 1 | holds(test, context);
  }
  return stack & 1;
}

static __u32 logarithm(__u64 value) {
  __u32 bits = 0;
  for (__u32 step = 32; step > 0; step /= 2) {
    if (value >> step == 0) continue;
    value >>= step;
    bits += step;
  }
  return bits;
}

static __u32 slot_of(__s64 value, bool is_signed) {
  if (bound_count == 0) {
    if (is_signed && value < 0) return kNegative;
    return value == 0 ? kZero : kFirstPower + logarithm(value);
  }
  if (!is_signed && value < 0) return bound_count;
  __u32 slot = 0;
  for (__u32 i = 0; i < kMostBounds && i < bound_count; i++)
    if (value >= bounds[i]) slot = i + 1;
  return slot;
}

// Returns 1, because 0 would make the kernel hide the hit from everybody's samples of that tracepoint.
SEC("tp")
int count_value(void* context) {
  const long row = current_row();
  if (row < 0) return 1;
  const __u32 number = PATCHED(kNumberMark);
  if (!is_wanted(number, context)) return 1;
  const __u32 shift = PATCHED(kShiftMark) & 63, is_signed = PATCHED(kSignedMark);
  const __u64 value = number_at(context + PATCHED(kOffsetMark), shift, is_signed);
  const __u32 first = row * stride + number * kSlots;
  add_to(first + slot_of(value, is_signed), 1);
  add_to(first + kSum, value);
  return 1;
}

char LICENSE[] SEC("license") = "GPL";
