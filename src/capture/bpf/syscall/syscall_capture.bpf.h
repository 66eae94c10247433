// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
// Reads what a system call's arguments point at from the caller's memory, and appends it to the record.
// syscall_trace.bpf.c includes this once. Functions return false if memory cannot be read.
#pragma once
#include "capture/bpf/kernel.bpf.h"
#include "capture/bpf/syscall/syscall_trace.h"

const volatile struct call_plan plans[2 * kTracedCalls];

// Hides the value from the compiler so that it keeps the mask: linux 6.1's verifier accepts no other bound.
static __u32 bounded(__u64 number) {
  __u32 kept = number;
  asm volatile("" : "+r"(kept));
  return kept;
}

// A branch here would double the verifier's paths for each word that a loop reads: it took 60 ms a program.
static __u32 word_bytes(struct traced_task* task) { return 8 - 4 * (task->call.flags & kTracedCompat); }

// Reads a pointer or size in the caller's word size; processors here are little-endian.
static bool read_word(struct traced_task* task, __u64* word, __u64 address) {
  *word = 0;
  return !bpf_probe_read_user(word, word_bytes(task), (void*)address);
}

static __u64 argument_of(struct traced_task* task, __u32 index) {
  return index < kArguments ? task->call.arguments[index] : 0;
}

// Appends one piece of the caller's memory to the record. False if it cannot be read.
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
    if (plan->how == kCaptureBits) size = ((__u32)argument_of(task, plan->count) + 63ULL) / 64 * 8;
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

// Appends strings with their NULs. False if one cannot be read.
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
    if (!read_word(task, &text, words + i * word_bytes(task))) return false;
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

// Length of a pointer array. False if its end cannot be read.
__attribute__((noinline)) int capture_length(struct traced_task* task, __u32 argument) {
  if (!task) return true;
  const __u32 at = task->call.payload;
  if (at > kPayloadBytes - 8) return true;
  struct captured_piece* piece = (void*)&task->payload[at & (kPayloadBytes - 1)];
  const __u64 words = argument_of(task, argument);
  if (!words) return true;
  __u32 length = 0;
  for (; length < kVariables; length++) {
    __u64 text = 0;
    if (!read_word(task, &text, words + length * word_bytes(task))) return false;
    if (!text) break;
  }
  *(__u32*)(piece + 1) = length;
  piece->cut = length == kVariables;
  piece->bytes = sizeof length;
  piece->argument = argument;
  task->call.payload = at + ((sizeof *piece + sizeof length + 7) & ~7);
  return true;
}

// Describes a piece made of parts; a plain number, so that it can be passed to a separately verified function.
union parts_plan {
  struct {
    __u8 most;  // bytes per part
    __u8 argument;
    __u8 is_message;  // its name (address) comes first, as a part
    __u8 name_bytes;
    __u32 filled;  // bytes filled; kAllFilled: all of it
  };
  __u64 number;
};
#define kAllFilled (~0U)

// Copies one part; returns its size. Sets *good to false if it cannot be read.
static __always_inline __u32 capture_part(struct captured_part* part, __u64 address, __u64 size, __u32 most,
                                          bool* good) {
  const __u32 bytes = bounded(size > most ? most : size) & (2 * kPartBytes - 1);
  if (bytes && bpf_probe_read_user(part + 1, bytes, (void*)address)) *good = false;
  part->bytes = bytes;
  part->cut = size > bytes;
  return (sizeof *part + bytes + 3) & ~3;
}

// Copies the memory of `count` struct iovec at `vectors`, each after a captured_part.
__attribute__((noinline)) int capture_parts(struct traced_task* task, __u64 number, __u64 vectors, __u64 count,
                                            __u64 name) {
  if (!task) return true;
  const union parts_plan plan = {.number = number};
  const __u32 at = task->call.payload;
  if (at > kPayloadBytes - 8) return true;
  struct captured_piece* piece = (void*)&task->payload[at & (kPayloadBytes - 1)];
  const __u32 word = word_bytes(task);
  __u64 left = plan.filled == kAllFilled ? ~0ULL : plan.filled;
  __u32 used = 0;
  bool good = true;
  if (plan.is_message) used = capture_part((void*)(piece + 1), name, plan.name_bytes, kNameBytes, &good);
  int i = 0;
  for (; i < kParts; i++) {
    if (i >= count || !left || !good || used >= kPartsBytes) break;
    __u64 start = 0, size = 0;
    const __u64 vector = vectors + i * 2 * word;
    if (!read_word(task, &start, vector) || !read_word(task, &size, vector + word)) return false;
    if (size > left) size = left;
    left -= size;
    struct captured_part* part = (void*)((char*)(piece + 1) + (bounded(used) & (kPartsBytes - 1)));
    used += capture_part(part, start, size, plan.most, &good);
  }
  if (!good) return false;
  piece->cut = count > i && left;
  piece->bytes = used;
  piece->argument = plan.argument;
  task->call.payload = at + ((sizeof *piece + used + 7) & ~7);
  return true;
}

// A struct msghdr, or an array element struct mmsghdr, which also holds the received length.
static int capture_message(struct traced_task* task, union parts_plan plan, __u64 address, bool of_array) {
  const __u32 word = word_bytes(task);
  __u64 name = 0, vectors = 0, count = 0;
  __u32 name_bytes = 0;
  if (!read_word(task, &name, address) || !read_word(task, &vectors, address + 2 * word) ||
      !read_word(task, &count, address + 3 * word) ||
      bpf_probe_read_user(&name_bytes, sizeof name_bytes, (void*)(address + word)))
    return false;
  if (of_array && plan.filled != kAllFilled &&
      bpf_probe_read_user(&plan.filled, sizeof plan.filled, (void*)(address + 7 * word)))
    return false;
  plan.is_message = 1;
  plan.name_bytes = !name ? 0 : name_bytes > kNameBytes ? kNameBytes : name_bytes;
  return capture_parts(task, plan.number, vectors, count, name);
}

// All or nothing: on failure the caller retries when the call ends.
__attribute__((noinline)) int capture_messages(struct traced_task* task, __u64 number, __u64 messages, __u64 count) {
  if (!task) return true;
  const union parts_plan plan = {.number = number};
  const __u16 before = task->call.payload;
  for (int i = 0; i < kMessages; i++) {
    if (i >= count) break;
    if (capture_message(task, plan, messages + i * 8 * word_bytes(task), true)) continue;
    task->call.payload = before;
    return false;
  }
  return true;
}

static bool capture_vectors(struct traced_task* task, const volatile struct capture_plan* chosen) {
  const __u64 address = argument_of(task, chosen->argument);
  if (!address) return true;
  const __u32 result = task->call.result > 0 ? task->call.result : 0;
  const union parts_plan plan = {.most = chosen->most > kPartBytes ? kPartBytes : chosen->most,
                                 .argument = chosen->argument,
                                 .filled = chosen->at_exit ? result : kAllFilled};
  if (chosen->how == kCaptureMessage) return capture_message(task, plan, address, false);
  if (chosen->how == kCaptureMessages)
    return capture_messages(task, plan.number, address,
                            chosen->at_exit ? result : (__u32)argument_of(task, chosen->count));
  return capture_parts(task, plan.number, address, argument_of(task, chosen->count), 0);
}

// A global function is verified once, and not for each piece that a program may read. It gets the places of its plan,
// since the verifier refuses pointers into constant maps as arguments.
__attribute__((noinline)) int capture_piece(struct traced_task* task, __u32 call, __u32 piece) {
  if (!task) return true;
  const volatile struct capture_plan* plan =
      &plans[bounded(call) & (2 * kTracedCalls - 1)].capture[bounded(piece) & (kCapturesPerCall - 1)];
  if (plan->choices) {
    const __u32 chosen = argument_of(task, plan->chooser);
    if (chosen > 63 || !(plan->choices >> chosen & 1)) return true;
  }
  if (plan->how >= kCaptureVectors) return capture_vectors(task, plan);
  if (plan->how == kCaptureLength) return capture_length(task, plan->argument);
  return plan->how == kCaptureStrings ? capture_strings(task, plan) : capture(task, plan);
}
