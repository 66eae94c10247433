# Call chains as folded lines: a sub that takes each event's chain, as both programs are timed with.
my %stacks;

sub sched::sched_switch {
	my $chain = $_[7];
	my $stack = join(";", map { exists $_->{sym} ? $_->{sym}{name} : "?" } reverse @$chain);
	$stacks{$stack}++;
}

sub trace_end {
	print "$_ $stacks{$_}\n" foreach sort keys %stacks;
}
