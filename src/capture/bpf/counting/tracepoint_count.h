/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/* The interface between tracepoint_count.bpf.c and tracepoint_counter.cc; C and C++ include it. */
#pragma once

enum {
  kCounterMark = 0x1eed1e55, /* replaced by the counter's number in each copy of a program */
  kSyscalls = 1024,
};
