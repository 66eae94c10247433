// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
// How the values of tracepoint fields are distributed, for value_counter.cc: one copy of count_value per field, with
// the field's place patched in.
#include "capture/bpf/value_count.h"
#include "capture/bpf/watch.bpf.h"

const volatile __s64 bounds[kMostBounds];
const volatile __u32 bound_count = 0;  // 0: powers of two

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

// With 0 for an answer the kernel would keep the hit from everybody's samples of that tracepoint.
SEC("tp")
int count_value(void* context) {
  const long row = current_row();
  if (row < 0) return 1;
  __u64 value = 0;
  // Whole eight bytes: what follows a smaller field is shifted out.
  bpf_probe_read_kernel(&value, sizeof value, context + PATCHED(kOffsetMark));
  const __u32 shift = PATCHED(kShiftMark) & 63, is_signed = PATCHED(kSignedMark);
  value <<= shift;
  value = is_signed ? (__u64)((__s64)value >> shift) : value >> shift;
  const __u32 first = row * stride + PATCHED(kNumberMark) * kSlots;
  add_to(first + slot_of(value, is_signed), 1);
  add_to(first + kSum, value);
  return 1;
}

char LICENSE[] SEC("license") = "GPL";
