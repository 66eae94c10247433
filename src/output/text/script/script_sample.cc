#include "output/text/script/script_sample.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>

#include "abi/record_rows.h"
#include "abi/sample.h"
#include "base/types.h"
#include "machine/dso/dso.h"
#include "machine/resolver/resolver.h"
#include "output/text/field/field_value.h"
#include "output/text/field/script_field.h"
#include "output/text/field/script_field_rows.h"
#include "output/text/format/printable.h"

namespace peregrine {

namespace {

void put_starts(LineStart& line, const std::vector<const ScriptField*>& columns) {
  for (const ScriptField* const field : columns) {
    line.out.room(kFieldRoom);
    field->start(line);
  }
}

// One indirect call per column; plain values share one printer.
void put_columns(SampleLine& line, const std::vector<const ScriptField*>& columns) {
  for (const ScriptField* const field : columns) {
    line.out.room(kFieldRoom);
    if (field->put != nullptr)
      field->put(line);
    else
      put_plain(line, *field);
  }
}

}  // namespace

ScriptSample::ScriptSample(const ScriptPlan& plan) : plan_(plan), switch_(plan.event_switch), state_(plan) {
  if (plan.make_writer) writer_ = plan.make_writer();
}

bool ScriptSample::put(ScriptText& out, const ReplaySample& replayed, Resolver& resolver) {
  const ScriptEvent& event = plan_.events[replayed.event];
  const abi::Sample& sample = replayed.sample;
  if (plan_.check_order) {
    misordered_ += sample.time < checked_time_ ? 1 : 0;
    checked_time_ = sample.time;
    return false;
  }
  if (!plan_.symbols.empty() || !plan_.addresses.empty() || !plan_.dsos.empty()) {
    const FrameId own = resolver.frame(replayed.context, sample.ip, sample.cpumode());
    if (!accepted(replayed, resolver, own)) return false;
  }
  if (switch_.any() && switch_.discards(replayed.event)) return false;
  if (!follow_calls(state_, replayed, event, resolver)) return false;
  if (writer_) {
    writer_->put(out, event, replayed, resolver);
    return true;
  }
  if (event.fields == 0) return true;
  const std::string_view comm = resolver.comm(replayed.context);
  SampleLine line{{out, event, sample, comm, state_, std::nullopt}, replayed, resolver};
  put_beginning(line);
  put_columns(line, event.columns.rest);
  if (event.is_branch) put_branch_record(line);
  out.room(1);
  out.put('\n');
  put_columns(line, event.columns.below);
  return true;
}

bool ScriptSample::accepted(const ReplaySample& replayed, Resolver& resolver, FrameId own) {
  const Frame& frame = resolver.at(own);
  if (!plan_.dsos.empty()) {
    if (!frame.dso) return false;
    const Dso& dso = resolver.machine().dsos().at(frame.dso);
    const auto is_it = [&](const std::string& name) { return name == dso.short_name || name == dso.name; };
    if (std::none_of(plan_.dsos.begin(), plan_.dsos.end(), is_it)) return false;
  }
  if (plan_.symbols.empty() && plan_.addresses.empty()) return true;
  const u64 ip = replayed.sample.ip;
  for (const u64 address : plan_.addresses) {
    if (ip >= address && ip - address < plan_.address_range) return true;
  }
  const std::string_view name = resolver.symbol_name(frame);
  return std::find(plan_.symbols.begin(), plan_.symbols.end(), name) != plan_.symbols.end();
}

void ScriptSample::put_start(ScriptText& out, const ScriptEvent& event, std::string_view comm,
                             const abi::Sample& sample, std::optional<abi::RecordType> side_band) {
  LineStart line{out, event, sample, comm, state_, side_band};
  put_beginning(line);
}

void ScriptSample::put_beginning(LineStart& line) {
  put_thread(line);
  put_starts(line, line.event.columns.start);
}

// Writes the columns before the time, from a cache if they equal those of the CPU's last sample.
void ScriptSample::put_thread(LineStart& line) {
  ScriptText& out = line.out;
  Beginning& beginning = beginnings_[line.sample.cpu % kBeginnings];
  if (beginning.is_of(line)) {
    out.room(beginning.length);
    return out.put_padded(beginning.text, beginning.length);
  }
  const std::size_t before = out.size();
  put_starts(line, line.event.columns.thread);
  beginning.keep(line, out.view().substr(before));
}

void ScriptSample::Beginning::keep(const LineStart& line, std::string_view start) {
  length = 0;
  if (line.comm.size() > sizeof comm || start.size() > sizeof text - ScriptText::kSlack) return;
  fields = line.event.fields;
  padded = line.event.comm_padded;
  pid = line.sample.pid;
  tid = line.sample.tid;
  cpu = line.sample.cpu;
  comm_length = static_cast<u8>(line.comm.copy(comm, sizeof comm));
  length = static_cast<u8>(start.copy(text, start.size()));
}

void ScriptSample::learn_cgroup(const abi::CgroupRecord& cgroup) {
  state_.cgroups.insert_or_assign(cgroup.id, printable(cgroup.path));
}

void ScriptSample::put_deferred_chain(ScriptText& out, const ReplaySample& chain, u64 cookie, Resolver& resolver) {
  const ScriptEvent& event = plan_.events[chain.event];
  const std::string title = fmt::format("DEFERRED CALLCHAIN [cookie: {:x}]\n", cookie);
  out.room(title.size());
  out.put(title);
  SampleLine line{{out, event, chain.sample, {}, state_, abi::RecordType::CallchainDeferred}, chain, resolver};
  if (line.has(script_field::Ip)) put_chain(line);
  out.room(1);
  out.put('\n');
}

}  // namespace peregrine
