// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
// What a system call's arguments point at, read from the caller's memory piece by piece behind the record. Included once
// by syscall_trace.bpf.c. Each function is false when memory could not be read.
#pragma once
#include "capture/bpf/kernel.bpf.h"
#include "capture/bpf/syscall_trace.h"

// A number that the compiler knows nothing of, so that the mask behind it stays: linux 6.1 sees no other bound.
static __u32 bounded(__u64 number) {
  __u32 kept = number;
  asm volatile("" : "+r"(kept));
  return kept;
}

static __u64 argument_of(struct traced_task* task, __u32 index) {
  return index < kArguments ? task->call.arguments[index] : 0;
}

// One piece of the caller's memory behind the record. False: it could not be read.
static bool capture(struct traced_task* task, const volatile struct capture_plan* plan) {
  const __u32 at = task->call.payload;
  if (at > kPayloadBytes - 8) return true;
  struct captured_piece* piece = (void*)&task->payload[at & (kPayloadBytes - 1)];
  const void* address = (void*)argument_of(task, plan->argument);
  if (!address) return true;
  __u64 size = plan->unit;
  __u32 most = bounded(plan->most > kPieceBytes - 1 ? kPieceBytes - 1 : plan->most) & (kPieceBytes - 1);
  long got = 0;
  if (plan->how == kCaptureString) {
    got = bpf_probe_read_user_str(piece + 1, most, address);
    if (got < 0) return false;
    piece->cut = got == most;
    if (got > 0) got--;
  } else {
    if (plan->how == kCaptureCounted) size *= argument_of(task, plan->count);
    if (plan->how == kCaptureReturned) size *= task->call.result > 0 ? task->call.result : 0;
    if (plan->how == kCaptureCountPointed) {
      __u32 pointed = 0;
      if (bpf_probe_read_user(&pointed, sizeof pointed, (void*)argument_of(task, plan->count))) return false;
      size = pointed;
    }
    if (!size) return true;
    piece->cut = size > most;
    const __u32 bytes = bounded(size > most ? most : size) & (kPieceBytes - 1);
    if (bpf_probe_read_user(piece + 1, bytes, address)) return false;
    got = bytes;
  }
  piece->bytes = got;
  piece->argument = plan->argument;
  task->call.payload = at + ((sizeof *piece + got + 7) & ~7);
  return true;
}

// Texts one behind the other, with their NULs. False: one of them could not be read.
static bool capture_strings(struct traced_task* task, const volatile struct capture_plan* plan) {
  const __u32 at = task->call.payload;
  if (at > kPayloadBytes - 8) return true;
  struct captured_piece* piece = (void*)&task->payload[at & (kPayloadBytes - 1)];
  const __u64 words = argument_of(task, plan->argument);
  if (!words) return true;
  __u32 used = 0;
  bool cut = true;
  for (int i = 0; i < kStrings && used < kStringsBytes; i++) {
    __u64 text = 0;
    if (bpf_probe_read_user(&text, sizeof text, (void*)(words + i * sizeof text))) return false;
    cut = text != 0;
    if (!cut) break;
    long got = bpf_probe_read_user_str((char*)(piece + 1) + (used & (kStringsBytes - 1)), kStringBytes, (void*)text);
    if (got <= 0) return false;
    used += got;
  }
  piece->cut = cut;
  piece->bytes = used;
  piece->argument = plan->argument;
  task->call.payload = at + ((sizeof *piece + used + 7) & ~7);
  return true;
}

// The memory that `count` struct iovec at `vectors` name, each behind a captured_part; of what a call filled, as much as
// its result says.
__attribute__((noinline)) int capture_parts(struct traced_task* task, __u64 how, __u64 vectors, __u64 count) {
  if (!task) return true;
  const struct capture_plan chosen = {.argument = how >> 24, .at_exit = how >> 16, .most = how};
  const struct capture_plan* plan = &chosen;
  const __u32 at = task->call.payload;
  if (at > kPayloadBytes - 8) return true;
  struct captured_piece* piece = (void*)&task->payload[at & (kPayloadBytes - 1)];
  __u64 left = ~0ULL;
  if (plan->at_exit) left = task->call.result > 0 ? task->call.result : 0;
  __u32 most = plan->most;
  if (most > kPartBytes) most = kPartBytes;
  __u32 used = 0;
  for (int i = 0; i < kParts; i++) {
    if (i >= count || !left) break;
    struct {
      __u64 start, size;
    } vector;
    if (bpf_probe_read_user(&vector, sizeof vector, (void*)(vectors + i * sizeof vector))) return false;
    if (vector.size > left) vector.size = left;
    left -= vector.size;
    struct captured_part* part = (void*)((char*)(piece + 1) + (used & (kPartsBytes - 1)));
    const __u32 size = bounded(vector.size > most ? most : vector.size) & (2 * kPartBytes - 1);
    if (size && bpf_probe_read_user(part + 1, size, (void*)vector.start)) return false;
    part->bytes = size;
    part->cut = vector.size > size;
    used += (sizeof *part + size + 3) & ~3;
  }
  piece->cut = count > kParts && left;
  piece->bytes = used;
  piece->argument = plan->argument;
  task->call.payload = at + ((sizeof *piece + used + 7) & ~7);
  return true;
}

static bool capture_vectors(struct traced_task* task, const volatile struct capture_plan* plan) {
  __u64 vectors = argument_of(task, plan->argument), count = 0;
  if (!vectors) return true;
  if (plan->how == kCaptureVectors) {
    count = argument_of(task, plan->count);
  } else {
    struct {
      __u64 name, name_size, vectors, count;  // struct msghdr
    } message;
    if (bpf_probe_read_user(&message, sizeof message, (void*)vectors)) return false;
    vectors = message.vectors;
    count = message.count;
  }
  return capture_parts(task, (__u64)plan->argument << 24 | (__u64)plan->at_exit << 16 | plan->most, vectors, count);
}

static bool capture_piece(struct traced_task* task, const volatile struct capture_plan* plan) {
  if (plan->how == kCaptureVectors || plan->how == kCaptureMessage) return capture_vectors(task, plan);
  return plan->how == kCaptureStrings ? capture_strings(task, plan) : capture(task, plan);
}
