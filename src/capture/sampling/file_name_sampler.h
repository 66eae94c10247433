// FileNameSampler: samples with the paths of opened files, for `record --file-names`. BPF programs at the system calls
// that open files read the path; the recorder writes one sample per call, between its start and its end. Files that are
// open when a file of the recording begins get a sample each, from /proc.
//
// A relative path is made absolute with the caller's folder in /proc; it remains relative if the caller has ended. Use
// only on the thread that opened it.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "abi/attr.h"
#include "abi/bpf_output/opened_file.h"
#include "base/bytes.h"
#include "base/result.h"
#include "base/types.h"
#include "capture/bpf/syscall/syscall_tracer.h"
#include "capture/perf_event/perf_clock.h"
#include "capture/target/target.h"
#include "event/syscall/call.h"
#include "sys/process/process.h"
#include "sys/root.h"

namespace peregrine {

// The path argument of a call that opens a file. Borrowed from `call`; empty if it is not known or was cut.
std::string_view opened_path(const TracedCall& call);

class FileNameSampler : private CallReader {
 public:
  // `attr` and `id` of the samples' event. Errors: why BPF programs cannot be used.
  static Result<FileNameSampler> open(const Root& root, const abi::EventAttr& attr, u64 id, const Target& target);

  // Whether a 32-bit program has started, and files that it opened first were missed. Errors: as
  // SyscallTracer::notice_narrow().
  Result<bool> notice_narrow() { return tracer_.notice_narrow(); }
  // Append samples and return their number: of open descriptors, and of files opened since the last call.
  Result<std::size_t> take_open(ByteWriter& out);
  Result<std::size_t> take_opened(ByteWriter& out);
  // Opened files without a sample.
  u64 lost() const { return tracer_.lost(); }

 private:
  struct Opened {
    Pid pid = 0, tid = 0;
    int cpu = -1, descriptor = -1;
    u64 time = 0;  // CLOCK_MONOTONIC
    std::string path;
  };
  FileNameSampler(const Root& root, const abi::EventAttr& attr, u64 id, const Target& target, SyscallTracer tracer,
                  PerfClock clock);
  bool call(const TracedCall& call) override;
  bool interrupted(const TracedCall&) override { return true; }
  void name(i32, i32, std::string_view) override {}
  std::string absolute(const Opened& file) const;
  void set_inode(const Opened& file, abi::OpenedFile& payload) const;
  std::size_t put_descriptors(Pid pid, u64 time, ByteWriter& out) const;
  void put(const Opened& file, const std::string& path, ByteWriter& out) const;

  Root root_;
  abi::EventAttr attr_;
  u64 id_;
  Target target_;
  SyscallTracer tracer_;
  PerfClock clock_;
  std::vector<Opened> opened_;  // not yet taken
};

}  // namespace peregrine
