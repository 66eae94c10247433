/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/* A filter in the map that ordinary users share, by the cookie of its events; C and C++ read this. */
#pragma once
#include "abi/sample_filter.h"

struct pinned_steps {
  __u64 drop_key; /* where refused samples are counted */
  __u32 step_count, unused;
  struct sample_filter_step steps[kFilterSteps];
};
