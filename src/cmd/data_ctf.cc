#include "cmd/data_ctf.h"

#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>

#include <algorithm>
#include <filesystem>

#include "cmd/recording.h"
#include "cmd/trace_choice.h"
#include "output/ctf/ctf_trace.h"

namespace peregrine::cmd {

namespace {

namespace fs = std::filesystem;

// A random one, as RFC 4122 marks them.
Result<CtfUuid> new_uuid() {
  CtfUuid uuid{};
  if (::getrandom(uuid.data(), uuid.size(), 0) != static_cast<ssize_t>(uuid.size())) return fail_errno("getrandom");
  uuid[6] = static_cast<u8>((uuid[6] & 0x0f) | 0x40);
  uuid[8] = static_cast<u8>((uuid[8] & 0x3f) | 0x80);
  return uuid;
}

bool is_trace_file(const std::string& name) {
  constexpr std::string_view kStream = "perf_stream_";
  if (name == "metadata") return true;
  return name.starts_with(kStream) && name.size() > kStream.size() &&
         std::all_of(name.begin() + kStream.size(), name.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// Streams of two traces in one folder are neither. So the folder must be new or empty, or, with `force`, loses the
// trace that it holds; other files in it stay.
Result<> prepare_folder(const std::string& folder, bool force) {
  for (std::size_t at = folder.find('/', 1);; at = folder.find('/', at + 1)) {
    const std::string part = folder.substr(0, at);
    if (::mkdir(part.c_str(), 0750) != 0 && errno != EEXIST) return fail_errno(part);
    if (at == std::string::npos) break;
  }
  std::error_code error;
  std::vector<fs::path> old;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    if (!force)
      return std::unexpected(
          Error{ErrorKind::System, folder + ": there are files in it"}.with_hint("-f writes over a trace"));
    if (is_trace_file(entry->path().filename())) old.push_back(entry->path());
  }
  for (std::size_t i = 0; i < old.size() && !error; ++i) fs::remove(old[i], error);
  if (error) return fail_errno(folder, error.value());
  return {};
}

std::string_view clock_name(u32 id) {
  switch (id) {
    case CLOCK_REALTIME:
      return "realtime";
    case CLOCK_MONOTONIC:
      return "monotonic";
    case CLOCK_MONOTONIC_RAW:
      return "monotonic_raw";
    case CLOCK_BOOTTIME:
      return "boottime";
    case CLOCK_TAI:
      return "tai";
    default:
      return "perf clock";
  }
}

Result<CtfClock> clock_of(const data::Reader& reader, bool wall_clock) {
  if (!wall_clock) return CtfClock{};
  const auto& data = reader.header().features.clock_data;
  if (!data)
    return std::unexpected(Error{ErrorKind::NotFound, "Can't provide --tod time, missing clock data"}.with_hint(
        "record with -k CLOCK, or convert without --tod"));
  const u64 offset_ns = data->wall_clock_ns - data->clock_ns;
  if (offset_ns >= CtfStream::kLastTime)
    return fail(ErrorKind::Malformed, "{}: its clock data are damaged: {} ns since 1970, {} ns of its clock",
                reader.path(), data->wall_clock_ns, data->clock_ns);
  return CtfClock{.description = std::string(clock_name(data->clockid)), .offset_ns = offset_ns, .absolute = true};
}

}  // namespace

Result<int> convert_to_ctf(const CtfOptions& options, Invocation& call) {
  auto reader = open_recording(options.input, options.force);
  if (!reader) return say_open_error(call, options.input, reader.error());
  const SymbolOptions symbols{.force = options.force};
  PEREGRINE_TRY(decode_recording(*reader, TraceChoice(), usual_itrace(), symbols, call));
  auto clock = clock_of(*reader, options.wall_clock);
  if (!clock) return std::unexpected(std::move(clock.error()));
  auto uuid = new_uuid(), clock_uuid = new_uuid();
  if (!uuid) return std::unexpected(std::move(uuid.error()));
  if (!clock_uuid) return std::unexpected(std::move(clock_uuid.error()));
  PEREGRINE_TRY(prepare_folder(options.folder, options.force));
  CtfTraceWriter writer(*reader, {.folder = options.folder,
                                  .uuid = *uuid,
                                  .clock_uuid = *clock_uuid,
                                  .clock = std::move(*clock),
                                  .all = options.all,
                                  .names = [&reader] { return event_names(*reader); }});
  Machine machine(symbol_places(symbols, call, *reader));
  ReplayOptions replay_options;
  replay_options.workers = 1;
  replay_options.unwind = false;
  replay_options.shown = writer.shown();
  Replay replay(*reader, machine, std::move(replay_options));
  const Result<> outcome = replay.run(writer);
  const Result<> written = writer.finish();
  warn_about_losses(call, replay.account(), reader->account());
  tell_decoding(*reader, call);
  if (!written) return std::unexpected(written.error());
  if (!outcome) return std::unexpected(outcome.error());
  if (writer.moved() != 0)
    call.messages.warning(
        fmt::format("{} records have the time of the one before: they came too late", writer.moved()));
  const std::string input = options.input.empty() ? std::string(kDefaultInput) : options.input;
  call.messages.verbatim(
      fmt::format("[ perf data convert: Converted '{}' into CTF data '{}' ]\n", input, options.folder));
  const std::string others = writer.others() == 0 ? "" : fmt::format(", {} non-samples", writer.others());
  call.messages.verbatim(fmt::format("[ perf data convert: Converted and wrote {:.3f} MB ({} samples{}) ]\n",
                                     static_cast<double>(writer.bytes()) / 1024.0 / 1024.0, writer.samples(), others));
  return 0;
}

}  // namespace peregrine::cmd
