/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/* A filter in the map that ordinary users share; the key is its events' cookie. C and C++ include it. */
#pragma once
#include "abi/sample_filter.h"

struct pinned_steps {
  __u64 drop_key; /* key in `dropped`, the counts of refused samples */
  __u32 step_count, unused;
  struct sample_filter_step steps[kFilterSteps];
};
