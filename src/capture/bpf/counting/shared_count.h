/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/* What BPF programs sum up of a counter that they read; C and C++ read it. */
#pragma once

enum { kCounted, kEnabled, kRunning, kCounterSums };
