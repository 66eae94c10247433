/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/* What syscall_trace.bpf.c and syscall_tracer.cc agree on; C and C++ read it.
 *
 * A record of the ring is a traced_call: its head, and behind it what was read from the caller's memory, piece by
 * piece: a captured_piece, its bytes, padding to eight. */
#pragma once
#include <linux/types.h>

enum {
  kTracedCalls = 512,   /* numbers of system calls, of 64-bit processes, then as many of 32-bit ones */
  kCapturesPerCall = 4, /* pieces of memory that are read for one call */
  kPieceBytes = 1024,   /* of one piece at most */
  kPayloadBytes = 2048, /* where the last piece may begin; a power of two */
  kStrings = 16,        /* of an array of texts */
  kStringBytes = 256,   /* of each of them, with its NUL */
  kVariables = 256,     /* pointers of an array that are counted */
  kStringsBytes = 512,  /* where the last one may begin; a power of two */
  kParts = 4,           /* of an array of struct iovec */
  kPartBytes = 128,     /* of each of them; a power of two */
  kPartsBytes = 512,    /* where the last one may begin; a power of two */
  kMessages = 4,        /* of an array of struct mmsghdr */
  kNameBytes = 128,     /* of a message's address; a power of two */
  kArguments = 6,
  kCommBytes = 16,
  kOwnSums = 8192,      /* of all threads; a power of two */
  kStackRegisters = 33, /* what a processor has at most of those that callers are found by */
  kStackPage = 4096,    /* memory is there or not by pages of at least so much */
};

/* How much is read, and from where. */
enum capture_how {
  kCaptureNothing,
  kCaptureString,       /* to its NUL */
  kCaptureBytes,        /* `unit` bytes */
  kCaptureCounted,      /* `unit` bytes for each that the argument `count` counts */
  kCaptureReturned,     /* `unit` bytes for each that the result counts */
  kCaptureCountPointed, /* as many bytes as the int says that the argument `count` points at */
  kCaptureBits,         /* a bit for each that the argument `count` counts, in words of 64 */
  kCaptureLength,       /* how many pointers stand before a null one, as a 32-bit number */
  kCaptureStrings,      /* the texts of an array of pointers, up to a null one, each to its NUL */
  kCaptureVectors,      /* what the struct iovec name that the argument `count` counts; a captured_part before each */
  kCaptureMessage,      /* the address that a struct msghdr has, as a captured_part, and what its struct iovec name */
  kCaptureMessages,     /* the same, a piece for each struct mmsghdr that the argument `count` or the result counts */
};

enum capture_time { kAtEntry, kAtExitOfSuccess, kAtExit };

struct capture_plan {
  __u8 how;
  __u8 argument; /* that holds the address */
  __u8 count;
  __u8 at_exit; /* capture_time */
  __u16 unit;
  __u16 most;    /* bytes */
  __u8 chooser;  /* the argument that says whether there is anything to read: */
  __u64 choices; /* bit n: where that is n; 0: always */
};

struct call_plan {
  __u8 chosen;
  __u8 no_return;  /* exit: told of when it begins */
  __u8 new_memory; /* exec: what could not be read at entry is gone afterwards */
  __u8 captures;
  struct capture_plan capture[kCapturesPerCall];
};

enum traced_kind { kTracedCall, kTracedName, kTracedFrames, kTracedStack };
enum traced_flag {
  kTracedCompat = 1,    /* of a 32-bit process */
  kTracedContinued = 2, /* it had begun before tracing did: no arguments, no start */
  kTracedUnended = 4,   /* it does not return */
};

struct traced_call {
  __u8 kind;
  __u8 flags;
  __u16 payload; /* bytes behind the head */
  __u32 number;
  __u32 pid, tid;
  __u64 start, duration; /* ns, CLOCK_MONOTONIC */
  __s64 result;
  __u64 arguments[kArguments];
};

/* A thread's name, before its first call and after each change. */
struct traced_name {
  __u8 kind;
  __u8 flags;
  __u16 payload;
  __u32 number;
  __u32 pid, tid;
  char comm[kCommBytes];
};

/* Where the caller of the thread's next record stands: addresses as frame pointers tell them, or (kTracedStack)
 * kStackRegisters registers in the order of perf_event's samples and what lies on the stack. */
struct traced_caller {
  __u8 kind;
  __u8 flags;
  __u16 payload;
  __u32 bytes; /* behind the head */
  __u32 pid, tid;
};

struct captured_piece {
  __u16 bytes;
  __u8 argument;
  __u8 cut; /* there was more */
};

struct captured_part {
  __u16 bytes; /* behind it, then padding to four */
  __u16 cut;   /* there was more */
};

/* -s: what one thread did with one system call. */
struct call_key {
  __u32 tid;    /* or the CPU, where threads are not told apart */
  __u16 number; /* kTracedCalls and more: of 32-bit processes */
  __u16 error;  /* errno, if they are told apart */
  __u64 cgroup;
};

struct call_sum {
  __u64 calls, errors;
  __u64 total, least, most;        /* ns */
  __u64 squares_low, squares_high; /* ns² = high · 2^32 + low */
};

/* One that a single thread adds to, which knows where it is: nothing is looked up. */
struct own_sum {
  struct call_key key;
  struct call_sum sum;
};

/* What is kept for each traced thread between entry and exit, and whether it is traced at all. */
struct traced_task {
  __u32 followed; /* it is a target, or a child of one */
  __u32 armed;    /* its next exec starts tracing */
  __u8 known;     /* pid and tid below are set */
  __u8 named;     /* its name stands in the ring */
  __u8 inside;    /* a call is going on */
  __u8 missing;   /* bit per capture: could not be read at entry */
  __u32 unused;
  __u16 own_sum[kTracedCalls]; /* of 64-bit calls: which of own_sums, and one; 0: none */
  struct traced_call call;
  __u8 payload[kPayloadBytes + 8 + kPieceBytes];
};
