#include "capture/sampling/file_name_sampler.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <ctime>
#include <expected>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

#include "abi/arch/registers.h"
#include "abi/arch/syscall.h"
#include "abi/bpf_output/opened_file.h"
#include "abi/record.h"
#include "abi/sample.h"
#include "base/number/parse_number.h"
#include "event/syscall/call_choice.h"
#include "event/syscall/signature.h"
#include "sys/process/narrow_program.h"

namespace peregrine {

namespace {

std::string descriptor_place(Pid pid, int descriptor) { return fmt::format("/proc/{}/fd/{}", pid, descriptor); }

}  // namespace

std::string_view opened_path(const TracedCall& call) {
  // Argument 0 of open and creat, 1 of the others. Not simply the first piece: a path in an absent page is read when
  // the call ends, after openat2's struct open_how.
  for (const unsigned argument : {0u, 1u}) {
    const CapturedPiece* piece = call.piece_of(argument);
    if (piece == nullptr) continue;
    if (piece->cut) return {};
    return {reinterpret_cast<const char*>(piece->bytes.data()), piece->bytes.size()};
  }
  return {};
}

FileNameSampler::FileNameSampler(const Root& root, const abi::EventAttr& attr, u64 id, const Target& target,
                                 SyscallTracer tracer, PerfClock clock)
    : root_(root), attr_(attr), id_(id), target_(target), tracer_(std::move(tracer)), clock_(std::move(clock)) {}

Result<FileNameSampler> FileNameSampler::open(const Root& root, const abi::EventAttr& attr, u64 id,
                                              const Target& target) {
  auto clock = PerfClock::open(attr);
  if (!clock) return std::unexpected(std::move(clock.error()));
  CallChoice opening;
  std::vector<std::string> others;
  PEREGRINE_TRY(opening.add("open,openat,openat2,creat", others));
  SyscallTraceOptions options;
  options.following = target.kind != TargetKind::Cpus;
  options.chosen = opening.chosen(Signatures(abi::syscall_set(abi::kHostArch)));
  options.chosen_narrow = opening.chosen(Signatures(abi::syscall_set(abi::kHostArch, true)));
  options.narrow =
      std::ranges::any_of(processes_of(root, target), [&](Pid process) { return runs_narrow_program(root, process); });
  auto tracer = SyscallTracer::open(root, options);
  if (!tracer) return std::unexpected(std::move(tracer.error()));
  if (target.kind != TargetKind::Cpus)
    for (const Pid thread : target.threads) PEREGRINE_TRY(tracer->follow(thread, false));
  tracer->start();
  return FileNameSampler(root, attr, id, target, std::move(*tracer), std::move(*clock));
}

bool FileNameSampler::call(const TracedCall& call) {
  if (call.result < 0 || call.continued) return true;
  const std::string_view path = opened_path(call);
  if (!path.empty())
    opened_.push_back({.pid = call.pid,
                       .tid = call.tid,
                       .cpu = call.cpu,
                       .descriptor = static_cast<int>(call.result),
                       .time = call.start + call.duration / 2,
                       .path = std::string(path)});
  return true;
}

std::string FileNameSampler::absolute(const Opened& file) const {
  if (file.path.starts_with('/')) return file.path;
  const std::filesystem::path given(file.path);
  // The descriptor may already be closed, or belong to another file by now.
  const auto open = root_.link(descriptor_place(file.pid, file.descriptor));
  if (open && std::filesystem::path(*open).filename() == given.filename()) return *open;
  const auto folder = root_.link(fmt::format("/proc/{}/cwd", file.pid));
  return folder ? (std::filesystem::path(*folder) / given).lexically_normal().string() : file.path;
}

void FileNameSampler::put(const Opened& file, const std::string& path, ByteWriter& out) const {
  abi::OpenedFile payload{.descriptor = file.descriptor, .path = path};
  set_inode(file, payload);
  ByteWriter raw;
  abi::encode_opened_file(payload, raw);
  abi::Sample sample{.misc = abi::misc_bit::User};
  sample.pid = static_cast<u32>(file.pid);
  sample.tid = static_cast<u32>(file.tid);
  sample.time = file.time;
  sample.id = id_;
  sample.cpu = static_cast<u32>(std::max(file.cpu, 0));
  sample.period = 1;
  sample.raw = raw.bytes();
  abi::encode_sample(sample, attr_, out);
}

// Asks only for an open descriptor, and for what the kernel knows already: a path may lead to a file system that hangs.
void FileNameSampler::set_inode(const Opened& file, abi::OpenedFile& payload) const {
  const std::string place = descriptor_place(file.pid, file.descriptor);
  if (!file.path.empty() && root_.link(place) != payload.path) return;
  struct statx status{};
  if (::statx(AT_FDCWD, root_.path(place).c_str(), AT_NO_AUTOMOUNT | AT_STATX_DONT_SYNC, STATX_INO, &status) != 0)
    return;
  payload.device = status.stx_dev_major << 20 | status.stx_dev_minor;
  payload.inode = status.stx_ino;
}

std::size_t FileNameSampler::put_descriptors(Pid pid, u64 time, ByteWriter& out) const {
  std::size_t count = 0;
  const std::string folder = fmt::format("/proc/{}/fd", pid);
  for (const std::string& name : root_.sorted_names(folder)) {
    const auto descriptor = parse_number<u32>(name);
    const auto path = root_.link(folder + "/" + name);
    if (!descriptor || !path) continue;
    const Opened file{.pid = pid, .tid = pid, .descriptor = static_cast<int>(*descriptor), .time = time, .path = {}};
    put(file, *path, out);
    ++count;
  }
  return count;
}

Result<std::size_t> FileNameSampler::take_open(ByteWriter& out) {
  const auto offset = clock_.offset();
  if (!offset) return std::unexpected(offset.error());
  const auto time = static_cast<u64>(read_clock(CLOCK_MONOTONIC) + *offset);
  std::size_t count = 0;
  for (const Pid process : processes_of(root_, target_)) count += put_descriptors(process, time, out);
  return count;
}

Result<std::size_t> FileNameSampler::take_opened(ByteWriter& out) {
  tracer_.drain(*this);
  if (opened_.empty()) return 0;
  const auto offset = clock_.offset();
  if (!offset) return std::unexpected(offset.error());
  auto files = std::exchange(opened_, {});
  for (Opened& file : files) {
    file.time += static_cast<u64>(*offset);
    put(file, absolute(file), out);
  }
  return files.size();
}

}  // namespace peregrine
