# What may be asked about the event at hand: its common_pc, common_flags and common_lock_depth, of the context that each
# handler is given. The functions are the interpreter's own.
# SPDX-License-Identifier: Apache-2.0
package Perf::Trace::Context;

use strict;
use warnings;
use parent 'Exporter';

our @EXPORT = qw(common_pc common_flags common_lock_depth);

1;
