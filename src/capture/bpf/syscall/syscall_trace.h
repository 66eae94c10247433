/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/* The interface between syscall_trace.bpf.c and syscall_tracer.cc; C and C++ include it.
 *
 * A record in the ring is a traced_call, followed by the pieces read from the caller's memory. Each piece is a
 * captured_piece, its bytes and padding to eight. */
#pragma once
#include <linux/types.h>

enum {
  kTracedCalls = 512,   /* call numbers of 64-bit processes; the same number of 32-bit ones follows */
  kCapturesPerCall = 4, /* pieces of memory read per call */
  kPieceBytes = 1024,   /* limit of one piece */
  kPayloadBytes = 2048, /* last offset at which a piece may start; a power of two */
  kStrings = 16,        /* strings per array */
  kStringBytes = 256,   /* per string, with its NUL */
  kVariables = 256,     /* limit for counting the pointers in an array */
  kStringsBytes = 512,  /* last offset at which a string may start; a power of two */
  kParts = 4,           /* buffers per array of struct iovec */
  kPartBytes = 128,     /* per buffer; a power of two */
  kPartsBytes = 512,    /* last offset at which a buffer may start; a power of two */
  kMessages = 4,        /* messages per array of struct mmsghdr */
  kNameBytes = 128,     /* of a message's socket address; a power of two */
  kArguments = 6,
  kCommBytes = 16,
  kOwnSums = 8192,      /* shared by all threads; a power of two */
  kStackRegisters = 33, /* most registers that unwinding needs, on any architecture */
  kStackPage = 4096,    /* smallest page: memory is readable or not in such units */
};

/* How to find the amount of memory to read. */
enum capture_how {
  kCaptureNothing,
  kCaptureString,       /* up to the NUL */
  kCaptureBytes,        /* `unit` bytes */
  kCaptureCounted,      /* `unit` bytes × argument `count` */
  kCaptureReturned,     /* `unit` bytes × result */
  kCaptureCountPointed, /* as many bytes as the int at argument `count` */
  kCaptureBits,         /* as many bits as argument `count`, in units of 64 */
  kCaptureLength,       /* number of pointers before the null pointer, as 32 bits */
  kCaptureStrings,      /* the strings of a null-terminated pointer array, with their NULs */
  kCaptureVectors,      /* the buffers of argument `count` struct iovec, each after a captured_part */
  kCaptureMessage,      /* the socket address of a struct msghdr, as a captured_part, and its buffers */
  kCaptureMessages,     /* the same for argument `count` (or result) struct mmsghdr, one piece each */
};

enum capture_time { kAtEntry, kAtExitOfSuccess, kAtExit };

struct capture_plan {
  __u8 how;
  __u8 argument; /* the argument that holds the address */
  __u8 count;
  __u8 at_exit; /* capture_time */
  __u16 unit;
  __u16 most;    /* bytes */
  __u8 chooser;  /* the argument that decides whether to read: */
  __u64 choices; /* bit n: read if it is n; 0: always read */
};

struct call_plan {
  __u8 chosen;
  __u8 no_return;  /* exit: reported when it begins */
  __u8 new_memory; /* exec: memory that was unreadable at entry is gone afterwards */
  __u8 captures;
  struct capture_plan capture[kCapturesPerCall];
};

enum traced_kind { kTracedCall, kTracedName, kTracedFrames, kTracedStack };
enum traced_flag {
  kTracedCompat = 1,    /* call of a 32-bit process */
  kTracedContinued = 2, /* began before tracing: no arguments, no start */
  kTracedUnended = 4,   /* does not return */
};

struct traced_call {
  __u8 kind;
  __u8 flags;
  __u16 payload; /* bytes after this struct */
  __u16 number;
  __u16 cpu; /* where it ended */
  __u32 pid, tid;
  __u64 start, duration; /* ns, CLOCK_MONOTONIC */
  __s64 result;
  __u64 arguments[kArguments];
};

/* A thread's name: written before its first call and after each change. */
struct traced_name {
  __u8 kind;
  __u8 flags;
  __u16 payload;
  __u32 number;
  __u32 pid, tid;
  char comm[kCommBytes];
};

/* The caller of the thread's next record: return addresses found by frame pointers, or (kTracedStack)
 * kStackRegisters registers, in the order of perf_event's samples, and the contents of the stack. */
struct traced_caller {
  __u8 kind;
  __u8 flags;
  __u16 payload;
  __u32 bytes; /* after this struct */
  __u32 pid, tid;
};

struct captured_piece {
  __u16 bytes;
  __u8 argument;
  __u8 cut; /* truncated */
};

struct captured_part {
  __u16 bytes; /* after this struct, then padding to four */
  __u16 cut;   /* truncated */
};

/* -s: the key of a sum: one system call of one thread. */
struct call_key {
  __u32 tid;    /* or the CPU if threads are not distinguished */
  __u16 number; /* from kTracedCalls on: 32-bit processes */
  __u16 error;  /* errno, or 0 if errors are not distinguished */
  __u64 cgroup;
};

struct call_sum {
  __u64 calls, errors;
  __u64 total, least, most;        /* ns */
  __u64 squares_low, squares_high; /* ns² = high · 2^32 + low */
};

/* A sum that only one thread adds to. The thread stores its index, so no map lookup is needed. */
struct own_sum {
  struct call_key key;
  struct call_sum sum;
};

/* The state of a thread: whether it is traced, and its call between entry and exit. */
struct traced_task {
  __u32 followed; /* a target, or a descendant of one */
  __u32 armed;    /* its next exec starts tracing */
  __u8 known;     /* pid and tid below are set */
  __u8 named;     /* its name is in the ring */
  __u8 inside;    /* between entry and exit of a call */
  __u8 missing;   /* bit per capture: unreadable at entry */
  __u32 unused;
  __u16 own_sum[kTracedCalls]; /* per 64-bit call: index in own_sums plus 1, or 0 */
  struct traced_call call;
  __u8 payload[kPayloadBytes + 8 + kPieceBytes];
};
