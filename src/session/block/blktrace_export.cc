#include "session/block/blktrace_export.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <expected>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "abi/blktrace_record.h"
#include "base/bytes.h"
#include "base/fd.h"
#include "base/file/output_file.h"
#include "base/text/counted.h"
#include "base/types.h"
#include "output/text_file.h"

namespace peregrine {

namespace {

constexpr std::size_t kBlktraceBuffer = std::size_t{1} << 16;
// A stream is an open file; a hostile recording may name any CPU.
constexpr u32 kMostBlktraceCpus = 512;
constexpr std::size_t kCommBytes = 16;  // of a thread's name in the kernel

class BlktraceWriter {
 public:
  explicit BlktraceWriter(std::string base) : base_(std::move(base)) {}

  void take(const BlockEvent& event) {
    if (!outcome_) return;
    if (event.record.cpu >= kMostBlktraceCpus) {
      ++skipped_;
      return;
    }
    outcome_ = add(event);
  }

  Result<> finish() {
    PEREGRINE_TRY(std::move(outcome_));
    // blkparse stops at the first CPU without a file.
    if (streams_.empty()) PEREGRINE_TRY(open_until(0));
    for (Stream& stream : streams_) PEREGRINE_TRY(write(stream));
    for (Stream& stream : streams_) PEREGRINE_TRY(stream.file.finish());
    return {};
  }
  u64 written() const { return written_; }
  u64 skipped() const { return skipped_; }
  std::size_t streams() const { return streams_.size(); }

 private:
  struct Stream {
    OutputFile file;
    ByteWriter bytes{};
  };

  Result<> open_until(u32 cpu) {
    while (streams_.size() <= cpu) {
      auto file =
          create_whole_file(fmt::format("{}.blktrace.{}", base_, streams_.size()), {.existing = Existing::Refuse});
      if (!file) {
        if (file.error().system_errno == EEXIST && file.error().hint.empty())
          file.error().hint = "choose another name with -o, or delete the file first";
        return std::unexpected(std::move(file.error()));
      }
      streams_.push_back({std::move(*file)});
    }
    return {};
  }

  static Result<> write(Stream& stream) {
    PEREGRINE_TRY(write_all(stream.file.fd(), stream.bytes.bytes().data(), stream.bytes.size()));
    stream.bytes.clear();
    return {};
  }

  // The name of a thread is a record before the first that has its number.
  void add_name(const BlockEvent& event, Stream& stream) {
    if (event.comm.empty()) return;
    std::string& known = names_[event.record.pid];
    if (known == event.comm) return;
    known = event.comm;
    std::array<std::byte, kCommBytes> comm{};
    std::ranges::copy(std::as_bytes(std::span(event.comm.substr(0, kCommBytes - 1))), comm.begin());
    abi::BlktraceRecord name;
    name.time = event.record.time;
    name.action = static_cast<u8>(abi::BlockNotice::Process);
    name.traits = abi::block_trait::Notice;
    name.pid = event.record.pid;
    name.device = event.group;
    name.cpu = event.record.cpu;
    name.pdu = comm;
    abi::encode_blktrace_record(name, stream.bytes);
  }

  Result<> add(const BlockEvent& event) {
    PEREGRINE_TRY(open_until(event.record.cpu));
    Stream& stream = streams_[event.record.cpu];
    abi::BlktraceRecord record = event.record;
    if (event.sample != nullptr) {
      add_name(event, stream);
      // blktrace traces a disk with all of its partitions.
      record.device = event.group;
    }
    abi::encode_blktrace_record(record, stream.bytes);
    ++written_;
    return stream.bytes.size() < kBlktraceBuffer ? Result<>() : write(stream);
  }

  std::string base_;
  std::vector<Stream> streams_;
  std::unordered_map<u32, std::string> names_;
  u64 written_ = 0, skipped_ = 0;
  Result<> outcome_;
};

}  // namespace

Result<> write_blktrace(BlockInput& input, const BlockChoice& choice, const std::string& base,
                        SessionListener& listener) {
  BlktraceWriter writer(base);
  PEREGRINE_TRY(read_block_events(input, choice, [&](const BlockEvent& event) { writer.take(event); }, listener));
  PEREGRINE_TRY(writer.finish());
  if (writer.skipped() != 0)
    listener.warning(fmt::format("{} of CPUs above {} not written", counted(writer.skipped(), "event", "events"),
                                 kMostBlktraceCpus - 1));
  listener.note(fmt::format("wrote {}.blktrace.0{} ({})", base,
                            writer.streams() > 1 ? fmt::format(" to .{}", writer.streams() - 1) : std::string(),
                            counted(writer.written(), "event", "events")));
  return {};
}

}  // namespace peregrine
