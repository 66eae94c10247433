/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/* The sums that a BPF program keeps of a counter; C and C++ include it. */
#pragma once

enum { kCounted, kEnabled, kRunning, kCounterSums };
