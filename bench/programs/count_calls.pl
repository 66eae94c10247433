# System calls by number: a sub that takes one field of its event, as both programs are timed with.
my %counts;

sub raw_syscalls::sys_enter {
	my ($event_name, $context, $common_cpu, $common_secs, $common_nsecs, $common_pid, $common_comm, $common_callchain, $id, $args) = @_;
	$counts{$id}++;
}

sub trace_end {
	print "$_ $counts{$_}\n" foreach sort { $a <=> $b } keys %counts;
}
