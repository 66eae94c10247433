#include "capture/sampling/file_name_sampler.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
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
#include "abi/record_rows.h"
#include "base/number/parse_number.h"
#include "capture/synthesis/record_encoder.h"
#include "event/syscall/signature.h"

namespace peregrine {

namespace {

constexpr std::array<std::string_view, 4> kOpeningCalls = {"open", "openat", "openat2", "creat"};

std::vector<bool> opening_calls(const Signatures& signatures) {
  std::vector<bool> chosen(signatures.size());
  for (u32 number = 0; number < chosen.size(); ++number)
    chosen[number] = std::ranges::find(kOpeningCalls, signatures.of(number).name) != kOpeningCalls.end();
  return chosen;
}

std::string_view path_of(const TracedCall& call) {
  for (unsigned i = 0; i < call.pieces; ++i) {
    const Bytes bytes = call.piece[i].bytes;
    const std::string_view path(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (!path.empty() && !call.piece[i].cut) return path;
  }
  return {};
}

std::string descriptor_place(Pid pid, int descriptor) { return fmt::format("/proc/{}/fd/{}", pid, descriptor); }

}  // namespace

FileNameSampler::FileNameSampler(const Root& root, const abi::EventAttr& attr, u64 id, const Target& target,
                                 SyscallTracer tracer, PerfClock clock)
    : root_(root), attr_(attr), id_(id), target_(target), tracer_(std::move(tracer)), clock_(std::move(clock)) {}

Result<FileNameSampler> FileNameSampler::open(const Root& root, const abi::EventAttr& attr, u64 id,
                                              const Target& target) {
  auto clock = PerfClock::open(attr);
  if (!clock) return std::unexpected(std::move(clock.error()));
  SyscallTraceOptions options;
  options.following = target.kind != TargetKind::Cpus;
  options.chosen = opening_calls(Signatures(abi::syscall_set(abi::kHostArch)));
  options.chosen_narrow = opening_calls(Signatures(abi::syscall_set(abi::kHostArch, true)));
  options.narrow = false;
  auto tracer = SyscallTracer::open(root, options);
  if (!tracer) return std::unexpected(std::move(tracer.error()));
  if (target.kind != TargetKind::Cpus)
    for (const Pid thread : target.threads) PEREGRINE_TRY(tracer->follow(thread, false));
  tracer->start();
  return FileNameSampler(root, attr, id, target, std::move(*tracer), std::move(*clock));
}

bool FileNameSampler::call(const TracedCall& call) {
  if (call.result < 0 || call.continued) return true;
  const std::string_view path = path_of(call);
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

bool FileNameSampler::put(const Opened& file, const std::string& path, ByteWriter& out) const {
  abi::OpenedFile payload{.descriptor = file.descriptor, .path = path};
  set_inode(file, payload);
  ByteWriter raw;
  abi::encode_opened_file(payload, raw);
  raw.zeros((4 - raw.size() % 8 + 8) % 8);  // with its size, a multiple of 8
  namespace bit = abi::sample_bit;
  RecordEncoder record(out, abi::RecordType::Sample, abi::misc_bit::User);
  ByteWriter& body = record.body();
  const auto number = [&](u64 field, u64 value) {
    if (attr_.samples(field)) body.put64(value);
  };
  number(bit::Identifier, id_);
  number(bit::Ip, 0);
  if (attr_.samples(bit::Tid)) body.put32(static_cast<u32>(file.pid)).put32(static_cast<u32>(file.tid));
  number(bit::Time, file.time);
  number(bit::Id, id_);
  if (attr_.samples(bit::Cpu)) body.put32(static_cast<u32>(std::max(file.cpu, 0))).put32(0);
  number(bit::Period, 1);
  if (attr_.samples(bit::Raw)) body.put32(static_cast<u32>(raw.size())).append(raw.bytes());
  return record.end();
}

// Asks only for an open descriptor, and for what the kernel knows already: a path may lead to a file system that hangs.
void FileNameSampler::set_inode(const Opened& file, abi::OpenedFile& payload) const {
  const std::string place = descriptor_place(file.pid, file.descriptor);
  struct statx status{};
  if (root_.link(place) != payload.path ||
      ::statx(AT_FDCWD, root_.path(place).c_str(), AT_NO_AUTOMOUNT | AT_STATX_DONT_SYNC, STATX_INO, &status) != 0)
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
    count += put(file, *path, out) ? 1 : 0;
  }
  return count;
}

Result<std::size_t> FileNameSampler::take_open(ByteWriter& out) {
  const auto offset = clock_.offset();
  if (!offset) return std::unexpected(offset.error());
  const auto time = static_cast<u64>(read_clock(CLOCK_MONOTONIC) + *offset);
  std::vector<Pid> processes = target_.threads;
  if (target_.kind == TargetKind::Cpus) processes = all_processes(root_);
  std::size_t count = 0;
  for (const Pid process : processes) count += put_descriptors(process, time, out);
  return count;
}

Result<std::size_t> FileNameSampler::take_opened(ByteWriter& out) {
  tracer_.drain(*this);
  if (opened_.empty()) return 0;
  const auto offset = clock_.offset();
  if (!offset) return std::unexpected(offset.error());
  std::size_t count = 0;
  for (Opened& file : std::exchange(opened_, {})) {
    file.time += static_cast<u64>(*offset);
    count += put(file, absolute(file), out) ? 1 : 0;
  }
  return count;
}

}  // namespace peregrine
