// BlktraceFiles: the per-CPU streams of blktrace, BASE.blktrace.N, merged by time: "sda" names sda.blktrace.0, .1, …
//
// Records of one CPU keep their order, as in blkparse; of records with equal times, that of the lower CPU comes first.
// Untrusted input: sizes are checked, and a stream ends at the first damage. Memory does not depend on the size of the
// files. Main thread only.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "abi/blktrace_record.h"
#include "base/bytes.h"
#include "base/fd.h"
#include "base/judged_file.h"
#include "base/result.h"
#include "base/types.h"

namespace peregrine::data {

// The streams that `base` names: the file itself if it is one (also `blkparse -d`'s), else BASE.blktrace.0, .1, ….
// Empty: `base` is something else, or does not exist.
std::vector<std::string> find_blktrace_files(const std::string& base);
// "sda" of "traces/sda" and of "traces/sda.blktrace.0": the device, as blktrace names its files.
std::string blktrace_device(const std::string& base);

class BlktraceFiles {
 public:
  // Errors: as open_judged(); Unsupported, another version of the format; Malformed, not a stream.
  static Result<BlktraceFiles> open(const std::vector<std::string>& paths,
                                    TrustedOwner owner = TrustedOwner::SelfOrRoot);

  // The next record by time; its pdu is valid until the next call. Nothing at the end. Errors: System, reading fails.
  Result<std::optional<abi::BlktraceRecord>> next();

  struct Damage {
    std::string path;
    u64 offset = 0;  // where the stream was left
  };
  // Streams with an incomplete or invalid record, after next() has returned nothing.
  const std::vector<Damage>& damage() const { return damage_; }
  // Records that are missing by the sequence numbers.
  u64 missing() const { return missing_; }

 private:
  struct Stream {
    std::string path;
    Fd fd;
    ByteOrder order = ByteOrder::Little;
    std::vector<std::byte> buffer;
    std::size_t begin = 0, end = 0;   // of the unread bytes in the buffer
    u64 offset = 0;                   // of the unread bytes in the file
    std::size_t size = 0;             // of the record at `begin`; 0: the stream has ended
    abi::BlktraceRecord record = {};  // at `begin`; borrows from the buffer
    // Of the last record of each CPU: blkparse -d writes those of all CPUs into one file.
    std::unordered_map<u32, u32> sequences;
  };
  static Result<> fill(Stream& stream);
  Result<> find_record(Stream& stream);

  std::vector<Stream> streams_;
  std::optional<std::size_t> taken_;  // the stream of the last record
  std::vector<Damage> damage_;
  u64 missing_ = 0;
};

}  // namespace peregrine::data
