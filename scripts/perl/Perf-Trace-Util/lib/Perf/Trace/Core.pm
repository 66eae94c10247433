# Names of flags and values, as the print formats of events have them.
# SPDX-License-Identifier: Apache-2.0
package Perf::Trace::Core;

use strict;
use warnings;
use parent 'Exporter';

our @EXPORT = qw(
    define_flag_field define_flag_value flag_str dump_flag_fields
    define_symbolic_field define_symbolic_value symbol_str dump_symbolic_fields
    trace_flag_str
);

my %trace_flags = (
    0x00 => "NONE", 0x01 => "IRQS_OFF", 0x02 => "IRQS_NOSUPPORT", 0x04 => "NEED_RESCHED", 0x08 => "HARDIRQ",
    0x10 => "SOFTIRQ",
);

# By event and field; filled before the first event.
my (%flag_fields, %symbolic_fields);

# The names of the bits of a value, lowest first; that of 0 where no bit is set.
sub set_bits
{
    my ($names, $value, $joint) = @_;
    return $names->{0} // "" if $value == 0;
    my @found;
    for my $bits (sort { $a <=> $b } keys %$names) {
        next if $bits == 0 || ($value & $bits) != $bits;
        push @found, $names->{$bits};
        $value &= ~$bits;
    }
    return join($joint, @found);
}

sub trace_flag_str
{
    my ($value) = @_;
    return set_bits(\%trace_flags, $value, " | ");
}

sub define_flag_field
{
    my ($event_name, $field_name, $delim) = @_;
    $flag_fields{$event_name}{$field_name}{delim} = $delim;
}

sub define_flag_value
{
    my ($event_name, $field_name, $value, $field_str) = @_;
    $flag_fields{$event_name}{$field_name}{values}{$value} = $field_str;
}

# "GFP_KERNEL | __GFP_ZERO" of a field that __print_flags() prints; "" for any other.
sub flag_str
{
    my ($event_name, $field_name, $value) = @_;
    my $field = $flag_fields{$event_name}{$field_name} or return "";
    my $delim = $field->{delim} // "";
    return set_bits($field->{values} // {}, $value, $delim eq "" ? "" : " $delim ");
}

sub define_symbolic_field
{
    my ($event_name, $field_name) = @_;
    $symbolic_fields{$event_name}{$field_name} //= {};
}

sub define_symbolic_value
{
    my ($event_name, $field_name, $value, $field_str) = @_;
    $symbolic_fields{$event_name}{$field_name}{values}{$value} = $field_str;
}

# "TIMER" of a field that __print_symbolic() prints; "" for any other, and for a value without name.
sub symbol_str
{
    my ($event_name, $field_name, $value) = @_;
    my $field = $symbolic_fields{$event_name}{$field_name} or return "";
    return $field->{values}{$value} // "";
}

sub dump_fields
{
    my ($fields) = @_;
    for my $event (sort keys %$fields) {
        print "event $event:\n";
        for my $field (sort keys %{$fields->{$event}}) {
            my $known = $fields->{$event}{$field};
            print "    field: $field:\n";
            print "        delim: '$known->{delim}'\n" if exists $known->{delim};
            print "        value $_: $known->{values}{$_}\n" for sort { $a <=> $b } keys %{$known->{values} // {}};
        }
    }
}

sub dump_flag_fields { dump_fields(\%flag_fields); }
sub dump_symbolic_fields { dump_fields(\%symbolic_fields); }

1;
