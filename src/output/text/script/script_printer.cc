#include "output/text/script/script_printer.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "abi/attr.h"
#include "abi/sample.h"
#include "abi/side_band.h"
#include "base/types.h"
#include "data/header/evlist.h"
#include "machine/resolver/resolver.h"
#include "output/text/dump/script_records.h"
#include "output/text/field/script_plan.h"
#include "output/text/format/printable.h"
#include "output/text/format/script_text.h"

namespace peregrine {
namespace {

// The columns before a side-band record come from its trailer, with -1 for fields that the trailer lacks. Without
// trailers they come from the record itself.
abi::Sample place_of(const ReplaySideBand& record, const RecordThread& named, const abi::EventAttr& attr) {
  const abi::SampleId& id = record.side_band->id;
  abi::Sample place;
  place.misc = record.record.misc;
  if (!attr.has(abi::attr_flag::SampleIdAll)) {
    place.pid = named.pid;
    place.tid = named.tid;
    return place;
  }
  const auto has = [&](u64 bit) { return (id.fields & bit) != 0; };
  place.pid = has(abi::sample_bit::Tid) ? id.pid : ~0u;
  place.tid = has(abi::sample_bit::Tid) ? id.tid : ~0u;
  place.cpu = has(abi::sample_bit::Cpu) ? id.cpu : ~0u;
  place.time = has(abi::sample_bit::Time) ? id.time : ~u64{0};
  return place;
}

}  // namespace

ScriptPrinter::ScriptPrinter(const ScriptPlan& plan, const data::Evlist& evlist, Sink& out)
    : plan_(plan), evlist_(evlist), out_(out), metrics_(evlist) {}
ScriptPrinter::~ScriptPrinter() = default;

void ScriptPrinter::begin(unsigned workers) {
  for (unsigned i = 0; i < workers; ++i) workers_.push_back(std::make_unique<Worker>(plan_));
}

void ScriptPrinter::begin_batch() {
  if (!update_plan_ || !update_plan_()) return;
  for (const auto& worker : workers_) worker->sample.take_line_kinds();
}

void ScriptPrinter::begin_slice(u64 slice, unsigned worker) { workers_[worker]->text = slices_.begin(slice); }

void ScriptPrinter::sample(const ReplaySample& sample, Resolver& resolver, unsigned worker) {
  if (dump_ != nullptr) dump_->put_place(*workers_[worker]->text, sample, resolver);
  if (event_files_ == nullptr || sample.event >= event_files_->size()) {
    ScriptText& out = *workers_[worker]->text;
    if (workers_[worker]->sample.put(out, sample, resolver) && has_metrics(sample.event))
      put_metrics(out, sample, resolver, worker);
    return;
  }
  event_text_.clear();
  if (!workers_[worker]->sample.put(event_text_, sample, resolver)) return;
  if (has_metrics(sample.event)) put_metrics(event_text_, sample, resolver, worker);
  EventText& file = (*event_files_)[sample.event];
  file.out.append(event_text_.view());
  ++file.samples;
}

// Writes each metric on a line that begins like the sample's.
void ScriptPrinter::put_metrics(ScriptText& out, const ReplaySample& sample, Resolver& resolver, unsigned worker) {
  const ScriptEvent& event = plan_.events[sample.event];
  for (const std::string& text : metrics_.add(sample.event, sample.period)) {
    const std::string_view comm = resolver.comm(sample.context);
    out.room(comm.size() + text.size() + 256);
    workers_[worker]->sample.put_start(out, event, comm, sample.sample, std::nullopt);
    out.put("\tmetric: ");
    out.put(text);
    out.put('\n');
  }
}

void ScriptPrinter::side_band(const ReplaySideBand& record, Resolver& resolver, unsigned worker) {
  const auto* const cgroup =
      record.side_band == nullptr ? nullptr : std::get_if<abi::CgroupRecord>(&record.side_band->body);
  if (cgroup != nullptr) workers_[worker]->sample.learn_cgroup(*cgroup);
  if (cgroup != nullptr && !plan_.shows_cgroups) return;
  ScriptText& out = *workers_[worker]->text;
  if (record.side_band != nullptr && record.event != data::kNoEvent) {
    const RecordThread named = record_thread(*record.side_band);
    abi::Sample place = place_of(record, named, evlist_[record.event].attr);
    const std::string_view comm = named.tid == ~0u
                                      ? std::string_view(":-1")
                                      : resolver.comm(resolver.context(named.pid, named.tid, record.moment));
    out.room(comm.size() + 256);
    workers_[worker]->sample.put_start(out, plan_.events[record.event], comm, place, record.record.type);
    if (const auto* late = std::get_if<abi::CallchainDeferredRecord>(&record.side_band->body)) {
      place.callchain = late->chain;
      const auto& context = resolver.context(named.pid, named.tid, record.moment);
      const ReplaySample chain{place, context, record.event, 0, record.moment, record.record.offset};
      return workers_[worker]->sample.put_deferred_chain(out, chain, late->cookie, resolver);
    }
  }
  put_side_band(out, record, poked_symbol(record.side_band, record.moment, resolver));
}

void ScriptPrinter::record(const ReplayRecord& record, Resolver& resolver, unsigned worker) {
  ScriptText& out = *workers_[worker]->text;
  if (dump_ != nullptr) dump_->put(out, record, resolver, workers_[worker]->dump_scratch);
  if (counts_ == nullptr) return;
  counts_text_.clear();
  counts_->put(counts_text_, record.record);
  out.room(counts_text_.size());
  out.put(counts_text_);
}

void ScriptPrinter::end_slice(u64 slice, unsigned worker) {
  ScriptText& own = *workers_[worker]->text;
  if (is_text_ && has_controls(own.view())) {
    const std::string safe = without_controls(own.view());
    own.clear();
    own.room(safe.size());
    own.put(safe);
  }
  slices_.end(slice, std::move(workers_[worker]->text), [this](const ScriptText& text) { out_.append(text.view()); });
}

}  // namespace peregrine
