#include "cmd/data/data_ctf.h"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <functional>

#include "base/file/folder_entries.h"
#include "base/file/output_place.h"
#include "base/judged_file.h"
#include "base/text/counted.h"
#include "cmd/recording/recording.h"
#include "cmd/recording/trace_choice.h"
#include "output/ctf/ctf_trace.h"

namespace peregrine::cmd {

namespace {

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

// What one of our traces begins with.
bool is_of_trace(int folder, const std::string& name) {
  constexpr std::string_view kText = "/* CTF ";
  constexpr u32 kMagic = 0xc1fc1fc1;
  const FileRules rules{.owners = owners_of(TrustedOwner::SelfOrRoot), .follow_link = false};
  auto file = open_judged(folder, name, name, rules);
  if (!file) return false;
  char beginning[8] = {};
  const auto got = pread_full(file->fd.get(), beginning, sizeof beginning, 0);
  if (!got || *got == 0) return got.has_value();
  u32 number = 0;
  std::memcpy(&number, beginning, sizeof number);
  const bool is_text = name == "metadata";
  return is_text ? std::string_view(beginning, *got).starts_with(kText)
                 : number == kMagic || number == __builtin_bswap32(kMagic);
}

// Where a trace is written. Streams of two traces in one folder are neither, so the folder must be new or empty, or,
// with `force`, loses the trace that it holds; other files in it stay. The files of the new trace have draft names
// until all are complete: what fails leaves what was there. They are drafts in the same folder, not in one beneath it,
// because Landlock before Linux 5.19 lets no file move from one folder to another. What is removed or renamed is in the
// folder that prepare() opened, whatever has its path later.
class CtfFolder {
 public:
  static Result<CtfFolder> prepare(const std::string& folder, bool force) {
    CtfFolder prepared(folder);
    for (std::size_t at = folder.find('/', 1);; at = folder.find('/', at + 1)) {
      const std::string part = folder.substr(0, at);
      if (::mkdir(part.c_str(), 0700) == 0)
        prepared.made_.push_back(part);
      else if (errno != EEXIST)
        return fail_errno(part);
      if (at == std::string::npos) break;
    }
    prepared.held_ = Fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!prepared.held_) return fail_errno(folder);
    PEREGRINE_TRY(prepared.find_old(force));
    auto draft = make_with_draft_name(kDraft, [&](const char* free) {
      return Fd(::openat(prepared.held_.get(), free, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600))
                 ? 0
                 : errno;
    });
    if (!draft) return fail_errno(folder, draft.error().system_errno);
    prepared.draft_ = std::move(*draft);
    return prepared;
  }
  CtfFolder(CtfFolder&& other) noexcept
      : folder_(std::move(other.folder_)),
        held_(std::move(other.held_)),
        draft_(std::exchange(other.draft_, {})),
        made_(std::exchange(other.made_, {})),
        old_(std::move(other.old_)) {}
  CtfFolder& operator=(CtfFolder&&) = delete;
  ~CtfFolder() {
    if (!draft_.empty()) {
      for (const std::string& name : drafts().value_or(std::vector<std::string>()))
        ::unlinkat(held_.get(), draft_of(name).c_str(), 0);
      ::unlinkat(held_.get(), draft_.c_str(), 0);
    }
    while (!made_.empty()) {
      ::rmdir(made_.back().c_str());
      made_.pop_back();
    }
  }

  // What the paths of the trace's files begin with.
  std::string prefix() const { return in_folder(draft_ + kOfDraft); }

  // The metadata last: without them nobody takes the folder for a trace.
  Result<> take() {
    auto names = drafts();
    if (!names) return std::unexpected(std::move(names.error()));
    std::ranges::sort(*names, std::greater());
    if (std::ranges::find(*names, "metadata") == names->end())
      return fail(ErrorKind::Denied, "'{}' was exchanged for another folder meanwhile", folder_);
    const int folder = held_.get();
    for (const std::string& name : old_)
      if (::unlinkat(folder, name.c_str(), 0) != 0 && errno != ENOENT) return fail_errno(in_folder(name));
    for (const std::string& name : *names)
      if (::renameat(folder, draft_of(name).c_str(), folder, name.c_str()) != 0) return fail_errno(in_folder(name));
    made_.clear();
    return {};
  }

 private:
  static constexpr const char* kDraft = "trace";
  static constexpr const char* kOfDraft = ".";

  explicit CtfFolder(std::string folder) : folder_(std::move(folder)) {}

  std::string in_folder(const std::string& name) const { return fmt::format("{}/{}", folder_, name); }

  // The names that the drafts are to get. Errors: the folder cannot be read.
  Result<std::vector<std::string>> drafts() const {
    std::vector<std::string> names;
    FolderEntries entries(held_.get());
    const std::string begin = draft_ + kOfDraft;
    while (const auto entry = entries.next())
      if (entry->name.starts_with(begin)) names.emplace_back(entry->name.substr(begin.size()));
    if (entries.error() != 0) return fail_errno(folder_, entries.error());
    return names;
  }
  std::string draft_of(const std::string& name) const { return draft_ + kOfDraft + name; }

  Result<> find_old(bool force) {
    FolderEntries entries(held_.get());
    while (const auto entry = entries.next()) {
      const std::string name(entry->name);
      if (!force)
        return std::unexpected(
            Error{ErrorKind::System, folder_ + ": there are files in it"}.with_hint("-f writes over a trace"));
      if (!is_trace_file(name)) continue;
      if (!is_of_trace(held_.get(), name))
        return fail(ErrorKind::Denied, "'{}' is not part of a trace: not replaced", in_folder(name));
      old_.push_back(name);
    }
    if (entries.error() != 0) return fail_errno(folder_, entries.error());
    return {};
  }

  std::string folder_;
  Fd held_;                        // the folder
  std::string draft_;              // an empty file, whose name those of all drafts begin with
  std::vector<std::string> made_;  // folders on the way, which a failure removes again
  std::vector<std::string> old_;   // the files of the trace that is replaced
};

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
  auto times = choose_times(options.times, *reader);
  if (!times) return std::unexpected(std::move(times.error()));
  auto uuid = new_uuid(), clock_uuid = new_uuid();
  if (!uuid) return std::unexpected(std::move(uuid.error()));
  if (!clock_uuid) return std::unexpected(std::move(clock_uuid.error()));
  auto folder = CtfFolder::prepare(options.folder, options.force);
  if (!folder) return std::unexpected(std::move(folder.error()));
  CtfTraceWriter writer(*reader, {.prefix = folder->prefix(),
                                  .uuid = *uuid,
                                  .clock_uuid = *clock_uuid,
                                  .clock = std::move(*clock),
                                  .all = options.all,
                                  .names = [&reader] { return event_names(*reader); }});
  Machine machine(symbol_places(symbols, call, *reader));
  ReplayOptions replay_options;
  replay_options.workers = 1;
  replay_options.unwind = false;
  replay_options.filter.times = std::move(*times);
  replay_options.shown = writer.shown();
  Replay replay(*reader, machine, std::move(replay_options));
  const Result<> outcome = replay.run(writer);
  const Result<> written = writer.finish();
  warn_about_losses(call, replay.account(), reader->account());
  tell_decoding(*reader, call);
  if (!written) return std::unexpected(written.error());
  if (!outcome) return std::unexpected(outcome.error());
  PEREGRINE_TRY(folder->take());
  if (writer.moved() != 0)
    call.messages.warning(counted(writer.moved(), "record has the time of the one before: it came too late",
                                  "records have the time of the one before: they came too late"));
  const std::string input = recording_name(options.input);
  call.messages.verbatim(
      fmt::format("[ perf data convert: Converted '{}' into CTF data '{}' ]\n", input, options.folder));
  const std::string others = writer.others() == 0 ? "" : fmt::format(", {} non-samples", writer.others());
  call.messages.verbatim(fmt::format("[ perf data convert: Converted and wrote {:.3f} MB ({} samples{}) ]\n",
                                     static_cast<double>(writer.bytes()) / 1024.0 / 1024.0, writer.samples(), others));
  return 0;
}

}  // namespace peregrine::cmd
