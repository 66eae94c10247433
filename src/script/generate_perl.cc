
#include <fmt/format.h>

#include <iterator>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "script/event_plan.h"
#include "script/generate.h"

namespace peregrine::script {
namespace {

constexpr std::string_view kPerlHead =
    R"(# A script for `script -s`: each sub handles the event that it is named after, and gets its fields as arguments.
use strict;
use warnings;
use lib "$ENV{'PERF_EXEC_PATH'}/scripts/perl/Perf-Trace-Util/lib";
use lib "./Perf-Trace-Util/lib";
use Perf::Trace::Core;
use Perf::Trace::Context;
use Perf::Trace::Util;

sub trace_begin
{
    print "in trace_begin\n";
}

sub trace_end
{
    print "in trace_end\n";
}
)";

constexpr std::string_view kPerlTail = R"(
# Called for tracepoints without a sub in this script.
sub trace_unhandled
{
    my ($event_name, $context, $common_cpu, $common_secs, $common_nsecs, $common_pid, $common_comm,
        $common_callchain) = @_;
    print_header($event_name, $common_cpu, $common_secs, $common_nsecs, $common_pid, $common_comm);
    print "\n";
    print_callchain($common_callchain);
}

# Called for samples that are not tracepoints, with the bytes of the record, of its event's attributes, of the sample and of its raw data.
sub process_event
{
    my ($event, $attr, $sample, $raw_data) = @_;
    my ($type, $misc, $size) = unpack("LSS", $event);
    my ($ip, $pid, $tid, $time) = unpack("QLLQ", $sample);
    printf("record type=%u size=%u pid=%u tid=%u time=%u ip=%x\n", $type, $size, $pid, $tid, $time, $ip);
}

sub print_header
{
    my ($event_name, $cpu, $secs, $nsecs, $pid, $comm) = @_;
    printf("%-20s %5u %05u.%09u %8u %-20s ", $event_name, $cpu, $secs, $nsecs, $pid, $comm);
}

sub print_callchain
{
    my ($callchain) = @_;
    for my $node (@$callchain) {
        printf("\t[%x]%s\n", $node->{ip}, exists $node->{sym} ? " $node->{sym}{name}" : "");
    }
}
)";

void append_perl_handler(std::string& text, const EventPlan& event) {
  std::string name = event.handler, fields, format, values;
  name.replace(name.find("__"), 2, "::");
  for (const FieldPlan& field : event.fields) {
    const FieldNames* const names = event.names_of(field.name);
    const bool number = names == nullptr && (field.kind == FieldKind::Unsigned || field.kind == FieldKind::Signed);
    const std::string_view way = !number ? "%s" : field.kind == FieldKind::Signed ? "%d" : "%u";
    fields += fmt::format(",\n        ${}", field.name);
    format += fmt::format("{}{}={}", format.empty() ? "" : ", ", field.name, way);
    values += names == nullptr ? fmt::format(",\n        ${}", field.name)
                               : fmt::format(",\n        {}(\"{}\", \"{}\", ${})",
                                             names->flags ? "flag_str" : "symbol_str", name, field.name, field.name);
  }
  fmt::format_to(std::back_inserter(text), R"(
sub {0}
{{
    my ($event_name, $context, $common_cpu, $common_secs, $common_nsecs, $common_pid, $common_comm,
        $common_callchain{1}) = @_;
    print_header($event_name, $common_cpu, $common_secs, $common_nsecs, $common_pid, $common_comm);
    printf("{2}\n"{3});
    print_callchain($common_callchain);
}}
)",
                 name, fields, format, values);
}

}  // namespace

std::string perl_script(std::span<const EventPlan> events) {
  std::string text(kPerlHead);
  std::set<std::string> done;
  for (const EventPlan& event : events) {
    if (event.handler.find("__") != std::string::npos && done.insert(event.handler).second)
      append_perl_handler(text, event);
  }
  return text.append(kPerlTail);
}

}  // namespace peregrine::script
