#include "pipeline/decode/decoding.h"

#include <cstddef>
#include <expected>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <variant>

#include "abi/record.h"
#include "abi/record_rows.h"
#include "abi/side_band.h"
#include "auxtrace/coresight/etm_decoder.h"
#include "base/bytes.h"
#include "base/result.h"
#include "base/types.h"
#include "data/feature/features.h"
#include "data/order/order.h"
#include "data/reader/reader.h"
#include "machine/machine.h"
#include "machine/process/moment.h"
#include "pipeline/decode/queue_order.h"
#include "pipeline/decode/trace/trace_output.h"
#include "pipeline/decode/trace/trace_queue.h"
#include "pipeline/rewrite/copy.h"

namespace peregrine {
namespace {

constexpr std::size_t kDecodedPiece = std::size_t{1} << 20;  // flush threshold

bool is_of_traces(abi::RecordType type) {
  return type == abi::RecordType::AuxtraceInfo || type == abi::RecordType::Auxtrace;
}

// Walks the records in time order. Before a record is applied to the machine, all traces are decoded up to its time, so
// that samples are resolved with the threads and maps of their own time. A moment is the number of a record; decoding
// never sees a later one.
class Decoding {
 public:
  Decoding(data::Reader& reader, const RecordedTraces& traces, const DecodeOptions& options)
      : reader_(reader),
        traces_(traces),
        options_(options),
        machine_(options.places),
        out_(reader.evlist(), {.facts = options.facts, .skip = options.itrace.skip}) {}

  Result<DecodeSummary> run(data::CopyWriter writer) {
    PEREGRINE_TRY(begin_queues());
    auto copy = RecordingCopy::begin(reader_, std::move(writer), RecordingCopy::Attrs::Changed);
    if (!copy) return std::unexpected(std::move(copy.error()));
    copy_.emplace(std::move(*copy));
    PEREGRINE_TRY(walk());
    PEREGRINE_TRY(decode_until(TraceQueue::kEnd));
    PEREGRINE_TRY(flush());
    PEREGRINE_TRY(copy_->finish({}));
    return DecodeSummary{out_.samples(), out_.errors(), copy_->notes(), decoder_->notes()};
  }

 private:
  Result<> begin_queues() {
    auto decoder = make_trace_decoder(
        {.reader = reader_, .traces = traces_, .itrace = options_.itrace, .machine = machine_, .out = out_});
    if (!decoder) return std::unexpected(std::move(decoder.error()));
    decoder_ = std::move(*decoder);
    order_.emplace(decoder_->queues());
    return {};
  }

  Result<> walk() {
    data::Order order(reader_);
    for (;;) {
      const auto more = order.next();
      if (!more) return std::unexpected(more.error());
      if (!*more) return {};
      take_build_ids();
      const data::Batch& batch = order.batch();
      for (std::size_t i = 0; i < batch.size(); ++i) {
        if (const u64 time = batch.time(i); time != 0) PEREGRINE_TRY(decode_until(time));
        PEREGRINE_TRY(take(batch.view(i)));
      }
      machine_.forget_before(moment_);
      PEREGRINE_TRY(flush());
    }
  }

  void take_build_ids() {
    const auto& known = reader_.header().features.build_ids;
    if (!known) return;
    for (; build_ids_taken_ < known->size(); ++build_ids_taken_) {
      const data::BuildIdEntry& entry = (*known)[build_ids_taken_];
      machine_.set_build_id(entry.name, entry.misc & abi::misc_bit::CpumodeMask, entry.id);
    }
  }

  // At equal times, traces go before records.
  Result<> decode_until(u64 time) {
    while (order_->run_first(time, moment_)) {
      if (out_.waiting() < kDecodedPiece) continue;
      PEREGRINE_TRY(flush());
      if (options_.stop != nullptr && options_.stop->load()) return fail(ErrorKind::System, "nobody reads on");
    }
    return {};
  }

  // A reader cannot sort samples without a time; it delivers them as they come. Two rounds before them make it deliver
  // all older records first.
  void hand_over() {
    if (decoder_->untimed() && out_.waiting() != 0) {
      copy_->add_round();
      copy_->add_round();
    }
    out_.drain([&](Bytes records) {
      copy_->add(records);
      return true;
    });
  }

  Result<> flush() {
    hand_over();
    if (copy_->waiting() == 0) return {};
    copy_->add_round();
    return copy_->flush();
  }

  Result<> take(const abi::RecordView& record) {
    if (is_of_traces(record.type)) return {};
    PEREGRINE_TRY(learn(record));
    const bool edited = record.type == abi::RecordType::Sample && decoder_->edit(record);
    hand_over();
    return edited ? Result<>() : copy_->put(record);
  }

  Result<> learn(const abi::RecordView& record) {
    machine_.set_applied_until(++moment_ + 1);
    if (record.type == abi::RecordType::Sample || record.type >= abi::RecordType::UserTypeStart) return {};
    const auto decoded = abi::decode_side_band(record, reader_.evlist().attr_of(record), scratch_);
    if (!decoded || !*decoded) return {};
    // Without times in the trace, the exit is the last moment at which the thread's maps are known.
    if (const auto* exit = std::get_if<abi::ExitRecord>(&(*decoded)->body); exit != nullptr && decoder_->timeless())
      PEREGRINE_TRY(decode_thread(exit->tid));
    learn_side_band(**decoded);
    decoder_->learn(**decoded, reader_.evlist().event_of(record));
    return {};
  }

  // Decodes the thread's trace to the end.
  Result<> decode_thread(u32 tid) {
    if (decoder_->per_cpu()) return {};
    for (const u32 number : order_->of_thread(tid)) {
      for (TraceQueue* queue = order_->queue(number); queue != nullptr && queue->time() != TraceQueue::kEnd;) {
        // run() also returns when many samples wait, so it is called until the queue has ended.
        queue->run(TraceQueue::kEnd, moment_ - 1);
        PEREGRINE_TRY(flush());
      }
    }
    return {};
  }

  void learn_side_band(const abi::SideBand& record) {
    machine_.apply(record, moment_);
    if (const auto* change = std::get_if<abi::SwitchRecord>(&record.body)) return switch_thread(*change, record);
    if (const auto* start = std::get_if<abi::ItraceStartRecord>(&record.body))
      set_thread(record.id.cpu, start->pid, start->tid);
    if (const auto* fork = std::get_if<abi::ForkRecord>(&record.body)) set_process(fork->pid, fork->tid);
    if (const auto* comm = std::get_if<abi::CommRecord>(&record.body)) set_process(comm->pid, comm->tid);
  }

  void switch_thread(const abi::SwitchRecord& change, const abi::SideBand& record) {
    if (!change.out) return set_thread(record.id.cpu, record.id.pid, record.id.tid);
    if (change.cpu_wide) set_thread(record.id.cpu, change.next_prev_pid, change.next_prev_tid);
  }

  // With per-CPU traces, another thread now runs on `cpu`.
  void set_thread(u32 cpu, u32 pid, u32 tid) {
    if (!decoder_->per_cpu()) return set_process(pid, tid);
    set_thread_of(order_->of_cpu(cpu), pid, tid);
  }

  // With per-thread traces, assigns the thread to its process.
  void set_process(u32 pid, u32 tid) {
    if (!decoder_->per_cpu()) set_thread_of(order_->of_thread(tid), pid, tid);
  }

  void set_thread_of(std::span<const u32> queues, u32 pid, u32 tid) {
    for (const u32 number : queues) {
      if (TraceQueue* const queue = order_->queue(number)) queue->set_thread(pid, tid);
    }
  }

  data::Reader& reader_;
  const RecordedTraces& traces_;
  const DecodeOptions& options_;
  Machine machine_;
  TraceOutput out_;
  std::unique_ptr<TraceDecoder> decoder_;
  std::optional<QueueOrder> order_;
  std::optional<RecordingCopy> copy_;
  Moment moment_ = 0;
  std::size_t build_ids_taken_ = 0;
  abi::SideBandScratch scratch_;
};

}  // namespace

Result<> check_decodable(const RecordedTraces& traces) {
  if (!is_decoded(traces.type)) return std::unexpected(not_decoded(traces.type));
  return traces.type == TraceType::CoreSight ? auxtrace::EtmDecoder::check() : Result<>();
}

Result<DecodeSummary> decode_traces(data::Reader& reader, const RecordedTraces& traces, data::CopyWriter writer,
                                    const DecodeOptions& options) {
  return Decoding(reader, traces, options).run(std::move(writer));
}

}  // namespace peregrine
