/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/* A sample filter as its BPF program runs it: steps over a stack of truths. event/filter/sample_filter.h makes them,
   capture/bpf/filter/sample_filter.bpf.c runs them; C and C++ read this. */
#pragma once
#include <linux/types.h>

enum sample_filter_op {
  /* Push whether a part of the sample stands so to `value`. */
  kFilterEqual,
  kFilterNotEqual,
  kFilterLess,
  kFilterLessEqual,
  kFilterGreater,
  kFilterGreaterEqual,
  kFilterAnyBit,
  /* Take one or two from the stack, push one. */
  kFilterNot,
  kFilterAnd,
  kFilterOr,
};

enum sample_filter_part {
  kFilterIp,
  kFilterId,
  kFilterTid,
  kFilterPid,
  kFilterCpu,
  kFilterTime,
  kFilterAddr,
  kFilterPeriod,
  kFilterTransaction,
  kFilterWeight,
  kFilterPhysAddr,
  kFilterDataSource,
  kFilterCodePageSize,
  kFilterDataPageSize,
  kFilterCgroup,
  kFilterUid,
  kFilterGid,
};

enum sample_filter_limits {
  kFilterSteps = 64, /* at most; the stack is as deep as the word that holds it */
};

struct sample_filter_step {
  __u16 op;
  __u16 part;
  __u8 shift, bits; /* of the part: which bits are meant; 0 bits: all */
  __u16 unused;
  __u64 value;
};
