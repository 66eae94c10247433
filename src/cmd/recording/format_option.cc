#include "cmd/recording/format_option.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "cli/frame/csv_guard.h"
#include "cmd/recording/recording.h"
#include "output/text_file.h"

namespace peregrine::cmd {

namespace {

constexpr u8 kForReport = static_cast<u8>(FormatUser::Report), kForScript = static_cast<u8>(FormatUser::Script),
             kForAnnotate = static_cast<u8>(FormatUser::Annotate), kForDiff = static_cast<u8>(FormatUser::Diff);

struct FormatRow {
  std::string_view name;
  u8 users = 0;
  bool profile = false;
  bool counts = false;  // takes the word `count`
};

constexpr FormatRow kFormats[] = {
    {.name = "perf", .users = kForScript},
    {.name = "ftrace", .users = kForScript},
    {.name = "lttng", .users = kForScript},
    {.name = "folded", .users = kForReport | kForScript | kForDiff, .profile = true, .counts = true},
    {.name = "speedscope", .users = kForReport | kForScript, .profile = true, .counts = true},
    {.name = "pprof", .users = kForReport | kForScript, .profile = true},
    {.name = "callgrind", .users = kForReport | kForScript, .profile = true},
    {.name = "firefox", .users = kForReport | kForScript, .profile = true, .counts = true},
    {.name = "chrome", .users = kForReport | kForScript, .profile = true},
    {.name = "json", .users = kForReport | kForAnnotate | kForDiff},
    {.name = "jsonl", .users = kForReport | kForScript | kForAnnotate | kForDiff},
    {.name = "csv", .users = kForReport | kForScript | kForAnnotate | kForDiff},
    {.name = "binary", .users = kForScript},
};
constexpr std::pair<std::string_view, FormatUser> kUsers[] = {
    {"report", FormatUser::Report},
    {"script", FormatUser::Script},
    {"annotate", FormatUser::Annotate},
    {"diff", FormatUser::Diff},
};

const FormatRow* find_format(std::string_view name) {
  const auto* const found = std::ranges::find(kFormats, name, &FormatRow::name);
  return found == std::end(kFormats) ? nullptr : found;
}

std::unexpected<Error> refuse_format(FormatUser user, std::string_view name) {
  const auto* const own = std::ranges::find(kUsers, user, [](const auto& row) { return row.second; });
  Error error{ErrorKind::Usage,
              fmt::format("--format of {} is one of {}, not '{}'", own->first, format_names(user), name)};
  if (const FormatRow* const row = find_format(name)) {
    std::string others;
    for (const auto& [command, other] : kUsers)
      if ((row->users & static_cast<u8>(other)) != 0)
        others += fmt::format("{}{}", others.empty() ? "" : ", ", command);
    error.hint = fmt::format("{} is written by: {}", name, others);
  }
  return std::unexpected(std::move(error));
}

Result<> take_word(const FormatRow& format, std::string_view word, FormatOptions& options) {
  if (format.counts && word == "count") {
    options.by_count = true;
    return {};
  }
  if (format.counts && word == "period") {
    options.by_count = false;
    return {};
  }
  if (format.name == "binary") {
    options.columns.emplace_back(word);
    return {};
  }
  if (format.name == "folded") {
    FoldRequest& fold = options.fold;
    const bool all = word == "all";
    bool known = all;
    for (auto [name, flag] : {std::pair("kernel", &fold.mark_kernel), std::pair("jit", &fold.mark_jit),
                              std::pair("inlined", &fold.mark_inlined), std::pair("addresses", &fold.addresses),
                              std::pair("pid", &fold.pid), std::pair("tid", &fold.tid)}) {
      const bool mark = flag == &fold.mark_kernel || flag == &fold.mark_jit || flag == &fold.mark_inlined;
      if (word != name && !(all && mark)) continue;
      *flag = true;
      known = true;
    }
    if (known) return {};
  }
  std::string words = format.counts ? "period or count" : "no words";
  if (format.name == "folded")
    words = "period, count, pid, tid, addresses, the marks kernel, jit, inlined or all of them, and event=NAME";
  return fail(ErrorKind::Usage, "--format {} takes {}, not '{}'", format.name, words, word);
}

bool is_same_file(const std::string& a, const std::string& b) {
  std::error_code error;
  return std::filesystem::equivalent(a, b, error) && !error;
}

}  // namespace

bool FormatOptions::is_profile() const {
  const FormatRow* const row = find_format(name);
  return row != nullptr && row->profile;
}

std::string format_names(FormatUser user) {
  std::string names;
  for (const FormatRow& row : kFormats)
    if ((row.users & static_cast<u8>(user)) != 0) names += fmt::format("{}{}", names.empty() ? "" : ", ", row.name);
  return names;
}

Result<> choose_format(FormatUser user, std::string_view text, FormatOptions& options) {
  const std::size_t comma = text.find(',');
  const std::string_view name = text.substr(0, comma);
  const FormatRow* const row = find_format(name);
  if (row == nullptr || (row->users & static_cast<u8>(user)) == 0) return refuse_format(user, name);
  FormatOptions chosen;
  chosen.name = name;
  chosen.output = options.output;
  chosen.csv_safe = options.csv_safe;
  std::string_view rest = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
  while (!rest.empty()) {
    if (name == "folded" && rest.starts_with("event=")) {  // names have commas, too: it is the last word
      chosen.event = rest.substr(std::string_view("event=").size());
      break;
    }
    const std::size_t end = std::min(rest.find(','), rest.size());
    PEREGRINE_TRY(take_word(*row, rest.substr(0, end), chosen));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  options = std::move(chosen);
  return {};
}

Result<> check_output(const std::string& path, const std::string& input) {
  if (!path.empty() && is_same_file(path, recording_name(input)))
    return fail(ErrorKind::Usage, "{}: that is the recording itself", path);
  return {};
}

namespace {

Result<int> run_into(Sink& out, const std::string& path, const Invocation& call,
                     const std::function<Result<int>(Invocation&)>& run) {
  Invocation redirected = call.with_output(out);
  auto code = run(redirected);
  PEREGRINE_TRY(flush_file(out, path));
  return code;
}

bool is_empty_file(int fd) {
  struct stat status{};
  return ::fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size == 0;
}

// pprof is packed: an earlier profile is replaced.
ContentKind content_of(const FormatOptions& format) {
  return format.name == "pprof" ? ContentKind::Gzip : ContentKind::Other;
}

// What failed without a word has not made a file.
Result<int> write_whole(const std::string& path, ContentKind written, const Invocation& call,
                        const std::function<Result<int>(Invocation&)>& run) {
  auto file = create_whole_file(path, {.written = written});
  if (!file) return std::unexpected(std::move(file.error()));
  Sink out(file->fd());
  auto code = run_into(out, path, call, run);
  if (!code || (*code != 0 && is_empty_file(file->fd()))) return code;
  PEREGRINE_TRY(file->finish());
  return code;
}

Result<int> write_as_it_goes(const std::string& path, ContentKind written, const Invocation& call,
                             const std::function<Result<int>(Invocation&)>& run) {
  struct stat status{};
  const bool is_new = ::lstat(path.c_str(), &status) != 0;
  auto file = create_text_file(path, {.written = written});
  if (!file) return std::unexpected(std::move(file.error()));
  Sink out(file->get());
  auto code = run_into(out, path, call, run);
  if (is_new && (!code || *code != 0) && is_empty_file(file->get())) ::unlink(path.c_str());
  return code;
}

}  // namespace

Result<int> write_into(const FormatOptions& format, Writing writing, const std::string& separator,
                       const std::string& input, Invocation& call, const std::function<Result<int>(Invocation&)>& run) {
  const bool csv = format.name == "csv";
  if (format.csv_safe && !csv && (separator.empty() || !format.name.empty()))
    return fail(ErrorKind::Usage, "--csv-safe needs CSV: give --format csv or, where there is one, --field-separator");
  const auto guarded = [&](Invocation& into) {
    return format.csv_safe ? guard_cells(csv ? std::string() : separator, into, run) : run(into);
  };
  const std::string& path = format.output;
  if (path.empty() || path == "-") return guarded(call);
  PEREGRINE_TRY(check_output(path, input));
  // A mistyped name of a recording must not cost what the file holds: `run` reports it, and nothing is written.
  if (!input.empty() && input != "-" && ::access(input.c_str(), F_OK) != 0) return guarded(call);
  const ContentKind written = content_of(format);
  return writing == Writing::Whole ? write_whole(path, written, call, guarded)
                                   : write_as_it_goes(path, written, call, guarded);
}

}  // namespace peregrine::cmd
