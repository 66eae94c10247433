#include "session/trace/trace_printer.h"

#include <fmt/format.h>

#include <cstddef>
#include <expected>
#include <string>
#include <string_view>

#include "abi/arch/registers.h"
#include "abi/arch/syscall.h"
#include "base/result.h"
#include "base/types.h"
#include "event/syscall/call.h"
#include "event/syscall/struct_layout.h"
#include "output/text/format/printable.h"
#include "output/text/trace/trace_line.h"
#include "output/text/trace/trace_summary.h"
#include "probe/type/btf_layouts.h"
#include "sys/process/cgroup.h"
#include "sys/process/process.h"
#include "sys/root.h"

namespace peregrine {

namespace {

constexpr std::size_t kPrintedBlock = std::size_t{1} << 16;

std::string cgroup_text(u64 id) {
  const std::string name = unified_cgroup_name(Root(), id);
  return name.empty() ? fmt::format("{}", id) : name;
}

TraceStyle style_of(const TraceRequest& request, bool terminal) {
  TraceStyle style = request.style;
  style.color = terminal;
  return style;
}

}  // namespace

TracePrinter::TracePrinter(const TraceRequest& request, Sink& out, bool live, bool terminal, abi::Arch arch)
    : request_(request),
      out_(out),
      wide_(abi::syscall_set(arch)),
      narrow_(abi::syscall_set(arch, true)),
      tasks_(live),
      files_(wide_, narrow_, live),
      summary_(request.summary_by),
      line_(wide_, narrow_, *this, style_of(request, terminal)) {}

Result<> TracePrinter::take_kernel_types() {
  const auto types = running_kernel_types();
  if (!types) return std::unexpected(types.error());
  wide_.replace_layouts(
      [&](const StructLayout& layout) { return btf_layout(*types, layout.name, layout.size, member_names_); });
  return {};
}

bool TracePrinter::begin_event() const { return request_.max_events == 0 || shown_ < request_.max_events; }

bool TracePrinter::end_event() {
  ++shown_;
  if (text_.size() >= kPrintedBlock) flush();
  return begin_event();
}

bool TracePrinter::shows(const TracedCall& call) const {
  if (request_.summary) return false;
  if (!request_.only_failed && request_.least_ns() == 0) return true;
  return !call.unended && call.duration >= request_.least_ns() && (!request_.only_failed || call.failed());
}

// As in linux-perf, sums also include calls without a line.
bool TracePrinter::call(const TracedCall& call) {
  if (!in_kernel_ && request_.summing() && !call.unended) summary_.add(call);
  if (!shows(call)) return true;
  if (!report_) {
    if (!begin_event()) return false;
    line_.put(text_, call);
    files_.note(call);
    return end_event();
  }
  line_.begin_at(call.continued ? call.end() : call.start);
  const bool goes_on = report(CallValues(value_places(), call), call.end(), [&] {
    line_.put(text_, call);
    return end_event();
  });
  files_.note(call);
  return goes_on;
}

void TracePrinter::put_reported(const FieldValues& values, u64 time) {
  FieldReport& fields = report_->fields();
  if (fields.has_table()) return fields.add(values, time, out_);
  reported_.clear();
  fields.append_line(reported_, values);
  text_.room(reported_.size());
  text_.put(reported_);
}

void TracePrinter::tick(u64 time) {
  if (report_) report_->fields().tick(time, out_);
}

void TracePrinter::finish_report() {
  flush();
  if (report_) report_->fields().finish(out_);
}

bool TracePrinter::interrupted(const TracedCall& call) {
  if (request_.summary) return true;
  if (!begin_event()) return false;
  line_.put_interrupted(text_, call);
  return end_event();
}

// Other processes choose these names: make them safe for a terminal, and no longer than an escaped kernel name can be.
void TracePrinter::name(Pid, Pid tid, std::string_view comm) {
  constexpr std::size_t kLongest = 15;
  comm = comm.substr(0, kLongest);
  if (!tasks_.is_called(tid, comm)) tasks_.set(tid, printable(comm));
}

void TracePrinter::flush() {
  out_.append(text_.view());
  text_.clear();
}

void TracePrinter::write_summary() {
  flush();
  write_trace_summary(
      out_, summary_,
      {.by = request_.summary_by,
       .runtime = request_.sched,
       .errors = request_.errno_summary,
       .most = request_.summary_rows,
       .comm = [&](Pid tid) { return std::string(tasks_.of(tid)); },
       .cgroup = [](u64 id) { return cgroup_text(id); },
       .call = [&](abi::SyscallSet set,
                   u32 number) { return (set == abi::SyscallSet::I386 ? narrow_ : wide_).of(number).name; }});
}

}  // namespace peregrine
