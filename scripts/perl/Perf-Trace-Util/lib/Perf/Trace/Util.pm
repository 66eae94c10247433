# Times and averages for scripts.
# SPDX-License-Identifier: Apache-2.0
package Perf::Trace::Util;

use strict;
use warnings;
use parent 'Exporter';

our @EXPORT = qw(avg nsecs nsecs_secs nsecs_nsecs nsecs_usecs nsecs_str print_nsecs clear_term syscall_name);

use constant NSECS_PER_SEC => 1_000_000_000;

sub avg { my ($total, $n) = @_; return $total / $n; }
sub nsecs { my ($secs, $nsecs) = @_; return $secs * NSECS_PER_SEC + $nsecs; }
sub nsecs_secs { my ($nsecs) = @_; return $nsecs / NSECS_PER_SEC; }
sub nsecs_nsecs { my ($nsecs) = @_; return $nsecs % NSECS_PER_SEC; }
sub nsecs_usecs { my ($nsecs) = @_; return nsecs_nsecs($nsecs) / 1000; }
sub nsecs_str { my ($nsecs) = @_; return sprintf("%5u.%09u", nsecs_secs($nsecs), nsecs_nsecs($nsecs)); }
sub print_nsecs { my ($nsecs) = @_; print nsecs_str($nsecs); }
sub clear_term { print "\x1b[H\x1b[2J"; }

# The system call's name on the recorded machine; its number where it has none.
sub syscall_name { my ($id) = @_; return Perf::Trace::Context::syscall_name($id) // $id; }

1;
