#include "pipeline/rewrite/rewrite.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <expected>
#include <optional>
#include <utility>

#include "abi/arch/registers.h"
#include "abi/attr.h"
#include "abi/record.h"
#include "abi/record_rows.h"
#include "base/bytes.h"
#include "base/result.h"
#include "base/text/counted.h"
#include "base/types.h"
#include "data/feature/feature_rows.h"
#include "data/feature/feature_table.h"
#include "data/feature/features.h"
#include "data/header.h"
#include "data/header/evlist.h"
#include "data/header/recorded_arch.h"
#include "data/order/order.h"
#include "pipeline/recording/unwind/lap_unwinder.h"
#include "pipeline/rewrite/address_hiding.h"
#include "pipeline/rewrite/copy.h"
#include "pipeline/rewrite/jit_injection.h"
#include "pipeline/rewrite/map_build_ids.h"
#include "pipeline/rewrite/sched_stat.h"

namespace peregrine {
namespace {

constexpr std::size_t kRewrittenPiece = std::size_t{1} << 20;  // flush threshold

// Passes each record through the edit that applies to it and on to RecordingCopy. Records that are added (JIT code, a
// guest's records) go before the first record that follows them in time, so adding requires time order.
class Rewriting {
 public:
  Rewriting(const Root& root, data::Reader& reader, RecordingCopy copy, AddressHiding* hiding, GuestMerge* guest,
            const RewriteOptions& options)
      : reader_(reader),
        copy_(std::move(copy)),
        hiding_(hiding),
        guest_(guest),
        ids_(root, reader, options.build_ids, options.known_ids) {
    if (options.map_build_ids) map_ids_.emplace(root, reader, options.known_ids);
    if (options.unwind_stacks) unwinder_.emplace(reader.evlist());
    if (options.merge_sched_stat) sched_stat_.emplace(reader);
    if (options.jit) jit_.emplace(reader, *options.jit);
  }

  Result<> run() {
    const bool by_time = sched_stat_ || jit_ || unwinder_ || hiding_ != nullptr || guest_ != nullptr ||
                         reader_.header().layout == data::Layout::Directory;
    if (guest_ != nullptr) begin_guest();
    PEREGRINE_TRY(by_time ? run_by_time() : run_as_recorded());
    if (jit_) copy_.add(jit_->due(~u64{0}));
    if (guest_ != nullptr) PEREGRINE_TRY(put_guest(~u64{0}));
    PEREGRINE_TRY(drain());
    RecordingCopy::FeatureMap changed;
    if (auto table = build_id_table(); !table.empty())
      changed[static_cast<u32>(data::FeatureId::BuildId)] = std::move(table);
    return copy_.finish(changed);
  }

  RewriteSummary summary() {
    RewriteSummary summary{ids_.injected(), copy_.notes()};
    if (sched_stat_ && sched_stat_->found() == 0)
      summary.notes.emplace_back("-s merged nothing: the recording has no sched_stat samples");
    if (jit_ && jit_->idle()) summary.notes.emplace_back("-j added nothing: the recording has no jit-PID.dump mapped");
    if (sched_stat_ && sched_stat_->unmatched() != 0) {
      summary.notes.push_back(counted(sched_stat_->unmatched(),
                                      "sched_stat sample of a thread without a sched_switch was omitted",
                                      "sched_stat samples of threads without a sched_switch were omitted"));
    }
    if (unwinder_ && unwinder_->kept() != 0)
      summary.notes.push_back(counted(unwinder_->kept(), "stack could not be unwound and is unchanged",
                                      "stacks could not be unwound and are unchanged"));
    if (jit_) summary.notes.insert(summary.notes.end(), jit_->notes().begin(), jit_->notes().end());
    if (guest_ != nullptr) {
      for (std::string& note : guest_->notes()) summary.notes.push_back(std::move(note));
    }
    if (hiding_ != nullptr) {
      for (std::string& note : hiding_->notes()) summary.notes.push_back(std::move(note));
      summary.details = hiding_->details();
    }
    return summary;
  }

 private:
  void begin_guest() {
    copy_.add(guest_->id_index());
    if (copy_.to_pipe()) copy_.add(build_id_records(guest_->build_ids(), reader_.header().order));
  }

  Result<> put_guest(u64 time) {
    guest_records_.clear();
    PEREGRINE_TRY(guest_->take_until(time, guest_records_));
    copy_.add(guest_records_);
    return {};
  }

  // The build-ids of host and guest. Empty if the table stays unchanged.
  std::vector<std::byte> build_id_table() {
    std::vector<std::byte> table = ids_.feature();
    const auto entries = guest_ != nullptr ? guest_->build_ids() : std::vector<data::BuildIdEntry>();
    if (entries.empty()) return table;
    constexpr u32 kId = static_cast<u32>(data::FeatureId::BuildId);
    data::Features features;
    if (!table.empty()) {
      data::decode_feature(kId, table, reader_.header().order, features);
    } else {
      features.build_ids = reader_.header().features.build_ids;
    }
    auto& all = features.build_ids ? *features.build_ids : features.build_ids.emplace();
    all.insert(all.end(), entries.begin(), entries.end());
    return data::encode_feature(kId, features, reader_.header().order).value_or(std::vector<std::byte>());
  }

  Result<> run_as_recorded() {
    abi::RecordView record;
    for (;;) {
      const auto more = reader_.next(record);
      if (!more) return std::unexpected(more.error());
      if (!*more) return {};
      PEREGRINE_TRY(put(record));
    }
  }

  Result<> run_by_time() {
    data::Order order(reader_);
    for (;;) {
      const auto more = order.next();
      if (!more) return std::unexpected(more.error());
      if (!*more) return {};
      const data::Batch& batch = order.batch();
      if (unwinder_) PEREGRINE_TRY(put_unwound(batch));
      for (std::size_t i = 0; i < batch.size() && !unwinder_; ++i) {
        if (jit_) copy_.add(jit_->due(batch.time(i)));
        if (guest_ != nullptr) {
          PEREGRINE_TRY(put_guest(batch.time(i)));
          guest_->learn(batch.view(i));
        }
        PEREGRINE_TRY(put_ordered(batch.view(i)));
      }
      copy_.add_round();
    }
  }

  // Passes a batch's side-band and samples on together: unwinding a stack needs the maps of its time.
  Result<> put_unwound(const data::Batch& batch) {
    std::vector<std::byte> lap;
    for (std::size_t i = 0; i < batch.size(); ++i) {
      const abi::RecordView record = batch.view(i);
      if (record.type < abi::RecordType::UserTypeStart) {
        ids_.look(record);
        lap.insert(lap.end(), record.bytes.begin(), record.bytes.end());
      } else {
        PEREGRINE_TRY(put_ordered(record));
      }
    }
    copy_.add(unwinder_->rewrite(lap, true));
    return copy_.waiting() >= kRewrittenPiece ? drain() : Result<>();
  }

  // A payload is valid only until the next read, so a record that waits for its turn needs a copy of it.
  Result<> put_ordered(abi::RecordView record) {
    std::vector<std::byte> payload;
    if (record.type == abi::RecordType::Auxtrace) {
      auto read = reader_.read_payload(record);
      if (!read) return std::unexpected(read.error());
      payload = std::move(*read);
    } else if (record.type == abi::RecordType::HeaderTracingData && reader_.header().features.tracing_data) {
      payload = *reader_.header().features.tracing_data;
    }
    record.payload = payload;
    return put(record);
  }

  Result<> put(const abi::RecordView& record) {
    ids_.look(record);
    if (jit_) {
      const auto stays = jit_->look(record);
      if (!stays) return std::unexpected(stays.error());
      for (auto& entry : jit_->take_build_ids()) ids_.add(std::move(entry));
      if (!*stays) return {};
    }
    // The payload of an AUXTRACE record is written directly, so the waiting records must go first.
    if (copy_.waiting() >= kRewrittenPiece || record.type == abi::RecordType::Auxtrace) PEREGRINE_TRY(drain());
    if (hiding_ != nullptr) return put_hidden(record);
    if (map_ids_ && record.type == abi::RecordType::Mmap2) {
      copy_.add(map_ids_->edit(record));
      return {};
    }
    if (!sched_stat_ || record.type != abi::RecordType::Sample) return copy_.put(record);
    copy_.add(sched_stat_->edit(record));
    return {};
  }

  Result<> put_hidden(abi::RecordView record) {
    if (map_ids_) {
      record.bytes = map_ids_->edit(record);
      record.misc = load<u16>(record.bytes.data() + 4, record.order);
    }
    PEREGRINE_TRY(hiding_->edit(record));
    if (hiding_->out().empty()) return {};
    record.bytes = hiding_->out();
    record.payload = hiding_->payload();
    return copy_.put(record);
  }

  // In a pipe a build-id must precede the samples that need it.
  Result<> drain() {
    const auto found = ids_.take_new();
    if (!copy_.to_pipe()) return copy_.flush();
    return copy_.flush(build_id_records(found, reader_.header().order));
  }

  data::Reader& reader_;
  RecordingCopy copy_;
  AddressHiding* hiding_;  // or nullptr
  GuestMerge* guest_;      // or nullptr
  std::vector<std::byte> guest_records_;
  BuildIdInjection ids_;
  std::optional<MapBuildIds> map_ids_;
  std::optional<LapUnwinder> unwinder_;
  std::optional<SchedStatMerge> sched_stat_;
  std::optional<JitInjection> jit_;
};

// Unwinding needs this machine's architecture, and at least one event with user stacks.
Result<> check_unwinding(const data::Reader& reader) {
  const data::Header& header = reader.header();
  if (header.layout == data::Layout::Pipe)
    return fail(ErrorKind::Unsupported, "{}: cannot convert stacks of a pipe: save it to a file first", reader.path());
  if (header.order != kHostOrder || data::recorded_arch(header.features) != abi::kHostArch)
    return fail(ErrorKind::Unsupported, "{}: cannot convert stacks of another architecture", reader.path());
  const auto has_stacks = [](const data::Event& event) { return event.attr.samples(abi::sample_bit::StackUser); };
  if (std::ranges::none_of(reader.evlist(), has_stacks))
    return std::unexpected(
        Error{ErrorKind::Unsupported, fmt::format("{}: no stacks to convert", reader.path())}.with_hint(
            "record with --call-graph dwarf"));
  return {};
}

}  // namespace

Result<RewriteSummary> rewrite(const Root& root, data::Reader& reader, data::CopyWriter writer,
                               const RewriteOptions& options) {
  if (options.unwind_stacks) PEREGRINE_TRY(check_unwinding(reader));
  std::optional<AddressHiding> hiding;
  FeatureEdits features;
  if (options.hide_addresses) {
    auto edits = hiding.emplace(reader).begin();
    if (!edits) return std::unexpected(std::move(edits.error()));
    features = std::move(*edits);
  }
  std::optional<GuestMerge> guest;
  if (options.guest != nullptr) {
    auto merge = GuestMerge::begin(reader, *options.guest, options.guest_options);
    if (!merge) return std::unexpected(std::move(merge.error()));
    guest.emplace(std::move(*merge));
  }
  const auto attrs = guest ? RecordingCopy::Attrs::More : RecordingCopy::Attrs::Original;
  auto copy = RecordingCopy::begin(reader, std::move(writer), attrs, std::move(features));
  if (!copy) return std::unexpected(std::move(copy.error()));
  Rewriting rewriting(root, reader, std::move(*copy), hiding ? &*hiding : nullptr, guest ? &*guest : nullptr, options);
  PEREGRINE_TRY(rewriting.run());
  return rewriting.summary();
}

}  // namespace peregrine
