#include "session/bench/injection_trial.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <expected>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "abi/attr.h"
#include "abi/record.h"
#include "abi/record_rows.h"
#include "abi/sample.h"
#include "analysis/stat/run_stats.h"
#include "base/bytes.h"
#include "capture/synthesis/record_encoder.h"
#include "data/header/evlist.h"
#include "data/reader/reader.h"
#include "data/writer/copy_writer.h"
#include "data/writer/writer.h"
#include "pipeline/rewrite/build_id_injection.h"
#include "pipeline/rewrite/rewrite.h"
#include "symbol/elf/build_id.h"
#include "sys/root.h"
#include "trial/stop_watch.h"

namespace peregrine {
namespace {

constexpr u64 kMostRecords = u64{1} << 20;  // the recording is in memory
constexpr std::size_t kMostDsos = 1000;
constexpr u64 kMapLength = 0x10000, kFirstMap = 0x400000;

// Up to `wanted` files of this system with a build-id, in folder order.
std::vector<std::string> dsos_here(std::size_t wanted) {
  namespace fs = std::filesystem;
  std::vector<std::string> found;
  std::error_code error;
  for (fs::recursive_directory_iterator at("/usr/lib", fs::directory_options::skip_permission_denied, error), end;
       at != end && !error && found.size() < wanted; at.increment(error)) {
    if (at.depth() > 2) at.disable_recursion_pending();
    if (at->is_symlink(error) || !at->is_regular_file(error)) continue;
    if (read_build_id(at->path().string())) found.push_back(at->path().string());
  }
  return found;
}

abi::EventAttr sampled_attr() {
  abi::EventAttr attr;
  attr.type = static_cast<u32>(abi::EventType::Software);
  attr.sample_type = abi::sample_bit::Ip | abi::sample_bit::Tid | abi::sample_bit::Time;
  attr.set(abi::attr_flag::SampleIdAll | abi::attr_flag::Mmap | abi::attr_flag::Mmap2);
  return attr;
}

void put_map(std::string_view path, u64 start, std::size_t trailer, ByteWriter& out) {
  const auto pid = static_cast<u32>(::getpid());
  RecordEncoder record(out, abi::RecordType::Mmap2, abi::misc_bit::User);
  record.body().put32(pid).put32(pid).put64(start).put64(kMapLength).put64(0);
  record.body().put32(0).put32(0).put64(0).put64(0).put32(PROT_READ | PROT_EXEC).put32(MAP_PRIVATE);
  record.text(path);
  record.end(trailer);
}

}  // namespace

Result<> run_injection(const InjectionTrialRequest& request, Sink& out) {
  if (request.rounds == 0) return fail(ErrorKind::Usage, "--iterations must be at least 1");
  if (request.maps == 0 || u64{request.maps} * (u64{request.samples} + 1) > kMostRecords)
    return fail(ErrorKind::Usage, "{} maps with {} samples each: there must be 1 to {} records", request.maps,
                request.samples, kMostRecords);
  const std::vector<std::string> dsos = dsos_here(std::min<std::size_t>(request.maps, kMostDsos));
  if (dsos.empty()) return fail(ErrorKind::NotFound, "no file in /usr/lib has a build-id");
  const auto file = recording_with_maps(dsos, request.maps, request.samples);
  if (!file) return std::unexpected(file.error());
  if (request.verbose > 0) out.format("  Collected {} DSOs\n", dsos.size());
  const double records = static_cast<double>(request.maps) * (1.0 + request.samples);
  for (const bool all : {false, true}) {
    const std::string_view what = all ? "build-id-all" : "build-id";
    RunStats times, memory;
    for (unsigned i = 0; i < request.rounds; ++i) {
      const auto round = inject_in_child(file->get(), all ? WhichDsos::All : WhichDsos::Hit);
      if (!round) return std::unexpected(round.error());
      if (request.verbose > 0) out.format("  Iteration #{}: {:.3f} msec\n", i + 1, round->seconds * 1e3);
      times.add(round->seconds * 1e3);
      memory.add(static_cast<double>(round->kilobytes));
    }
    const double each = records > 0 ? 1e3 / records : 0;
    out.format("  Average {} injection took: {:.3f} msec (+- {:.3f} msec)\n", what, times.mean(), times.error());
    out.format("  Average time per event: {:.3f} usec (+- {:.3f} usec)\n", times.mean() * each, times.error() * each);
    out.format("  Average memory usage: {:.0f} KB (+- {:.0f} KB)\n", memory.mean(), memory.error());
  }
  return {};
}

Result<Fd> recording_with_maps(const std::vector<std::string>& dsos, unsigned maps, unsigned samples) {
  Fd file(::memfd_create("inject-build-id", MFD_CLOEXEC));
  if (!file) return fail_errno("memfd_create");
  auto writer = data::Writer::open_fd(Fd(::fcntl(file.get(), F_DUPFD_CLOEXEC, 0)), "recording", {});
  if (!writer) return std::unexpected(std::move(writer.error()));
  data::Evlist evlist;
  const abi::EventAttr attr = sampled_attr();
  evlist.add({.attr = attr, .ids = {}, .name = "cpu-clock", .unit = {}, .cpus = {}, .group_name = {}});
  PEREGRINE_TRY(writer->begin(evlist, {}));
  abi::Sample sample;
  sample.fields = attr.sample_type;
  sample.misc = abi::misc_bit::User;
  sample.pid = sample.tid = static_cast<u32>(::getpid());
  for (unsigned map = 0; map < maps; ++map) {
    ByteWriter records;
    const u64 start = kFirstMap + map * kMapLength;
    put_map(dsos[map % dsos.size()], start, abi::sample_id_size(attr), records);
    for (unsigned i = 0; i < samples; ++i) {
      sample.ip = start + i % kMapLength;
      sample.time = u64{map} * samples + i + 1;
      abi::encode_sample(sample, attr, records);
    }
    PEREGRINE_TRY(writer->append(records.bytes()));
  }
  PEREGRINE_TRY(writer->finish({}));
  return file;
}

Result<InjectionRound> inject_in_child(int recording, WhichDsos which) {
  const StopWatch watch;
  const pid_t child = ::fork();
  if (child < 0) return fail_errno("fork");
  if (child == 0) {
    const auto inject = [&]() -> Result<std::size_t> {
      // Reopened, because a duplicated descriptor would share its offset with the other rounds.
      Fd copy(::open(fmt::format("/proc/self/fd/{}", recording).c_str(), O_RDONLY | O_CLOEXEC));
      if (!copy) return fail_errno("recording");
      auto reader = data::Reader::open_fd(std::move(copy), "recording");
      if (!reader) return std::unexpected(std::move(reader.error()));
      Fd out(::open("/dev/null", O_WRONLY | O_CLOEXEC));
      if (!out) return fail_errno("/dev/null");
      const auto done =
          rewrite(Root(), *reader, data::CopyWriter(std::move(out), "/dev/null", true), {.build_ids = which});
      if (!done) return std::unexpected(done.error());
      return done->injected.size();
    };
    const auto injected = inject();
    ::_exit(injected && *injected > 0 ? 0 : 1);
  }
  int status = 0;
  rusage used{};
  while (::wait4(child, &status, 0, &used) < 0)
    if (errno != EINTR) return fail_errno("wait4");
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    return fail(ErrorKind::System, "injecting build-ids failed in a child process");
  return InjectionRound{watch.seconds(), static_cast<u64>(used.ru_maxrss)};
}

}  // namespace peregrine
