
#include <fmt/format.h>

#include <cstddef>
#include <iterator>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "script/event_plan.h"
#include "script/generate.h"

namespace peregrine::script {
namespace {

constexpr std::string_view kPythonHead =
    R"py(# A script for `script -s`: each function handles the event that it is named after, and gets its fields as arguments.
# The last argument contains the whole sample; omit it where it is not needed, to make the script faster.
import os
import sys

sys.path.append(os.environ['PERF_EXEC_PATH'] + '/scripts/python/Perf-Trace-Util/lib/Perf/Trace')

from perf_trace_context import *
from Core import *
from Util import *


def trace_begin():
    print("in trace_begin")


def trace_end():
    print("in trace_end")

)py";

constexpr std::string_view kPythonTail = R"py(
def trace_unhandled(event_name, context, event_fields_dict, perf_sample_dict):
    """Called for tracepoints without a function in this script."""
    print(event_name, dict_text(event_fields_dict))
    print_sample(perf_sample_dict)


def process_event(param_dict):
    """Called for samples that are not tracepoints."""
    print("%-20s %8u %-20s" % (param_dict['ev_name'], param_dict['sample']['pid'], param_dict['comm']))
    print_sample(param_dict)
    print_callchain(param_dict['callchain'])
    print()


def print_header(event_name, cpu, secs, nsecs, pid, comm):
    print("%-20s %5u %05u.%09u %8u %-20s " % (event_name, cpu, secs, nsecs, pid, comm), end="")


def print_sample(perf_sample_dict):
    print('Sample: {' + dict_text(perf_sample_dict['sample'], ', ') + '}')


def print_callchain(callchain):
    for node in callchain:
        line = "\t[%x]" % node['ip']
        if 'sym' in node:
            line += " %s+0x%x" % (node['sym']['name'], node.get('sym_off', 0))
        if 'dso' in node:
            line += " (%s)" % node['dso']
        print(line)


def dict_text(fields, joint=' '):
    return joint.join('%s=%s' % (name, value) for name, value in sorted(fields.items()))
)py";

// Joins `words` with ", " and wraps the lines.
std::string wrapped(const std::vector<std::string>& words, std::string_view indent, std::size_t column) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (column + words[i].size() > 110) {
      text += '\n';
      text += indent;
      column = indent.size();
    }
    text += words[i];
    column += words[i].size() + 2;
    if (i + 1 < words.size()) text += column + words[i + 1].size() > 110 ? "," : ", ";
  }
  return text;
}

void append_python_handler(std::string& text, const EventPlan& event) {
  const auto to = std::back_inserter(text);
  std::vector<std::string> parameters = {"event_name",   "context",    "common_cpu",  "common_secs",
                                         "common_nsecs", "common_pid", "common_comm", "common_callchain"};
  std::vector<std::string> values;
  std::string format;
  for (const FieldPlan& field : event.fields) {
    parameters.push_back(field.name);
    const FieldNames* const names = event.names_of(field.name);
    const bool number = names == nullptr && (field.kind == FieldKind::Unsigned || field.kind == FieldKind::Signed);
    fmt::format_to(std::back_inserter(format), "{}{}={}", format.empty() ? "" : ", ", field.name, number ? "%d" : "%s");
    values.push_back(names == nullptr ? field.name
                                      : fmt::format("{}(\"{}\", \"{}\", {})", names->flags ? "flag_str" : "symbol_str",
                                                    event.handler, field.name, field.name));
  }
  parameters.emplace_back("perf_sample_dict");
  const std::string start = fmt::format("def {}(", event.handler);
  fmt::format_to(to, "\n{}{}):\n", start, wrapped(parameters, std::string(start.size(), ' '), start.size()));
  fmt::format_to(to, "    print_header(event_name, common_cpu, common_secs, common_nsecs, common_pid, common_comm)\n");
  fmt::format_to(to, "    print(\"{}\" %\n          ({}{}))\n", format, wrapped(values, "           ", 11),
                 values.size() == 1 ? "," : "");
  fmt::format_to(to, "    print_sample(perf_sample_dict)\n    print_callchain(common_callchain)\n    print()\n\n");
}

}  // namespace

std::string python_script(std::span<const EventPlan> events) {
  std::string text(kPythonHead);
  std::set<std::string> done;
  for (const EventPlan& event : events)
    if (!event.handler.empty() && done.insert(event.handler).second) append_python_handler(text, event);
  return text.append(kPythonTail);
}

}  // namespace peregrine::script
