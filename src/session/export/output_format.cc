#include "session/export/output_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <expected>
#include <iterator>
#include <utility>

#include "analysis/profile/folded_stacks.h"
#include "base/file/content_kind.h"
#include "base/nearest.h"

namespace peregrine {

namespace {

constexpr u8 kForReport = static_cast<u8>(FormatUser::Report), kForScript = static_cast<u8>(FormatUser::Script),
             kForAnnotate = static_cast<u8>(FormatUser::Annotate), kForDiff = static_cast<u8>(FormatUser::Diff);

struct FormatRow {
  std::string_view name;
  u8 users = 0;
  bool profile = false;
  bool counts = false;  // accepts the suboption `count`
};

constexpr FormatRow kFormats[] = {
    {.name = "perf", .users = kForScript},
    {.name = "ftrace", .users = kForScript},
    {.name = "lttng", .users = kForScript},
    {.name = "folded", .users = kForReport | kForScript | kForDiff, .profile = true, .counts = true},
    {.name = "speedscope", .users = kForReport | kForScript, .profile = true, .counts = true},
    {.name = "pprof", .users = kForReport | kForScript, .profile = true},
    {.name = "callgrind", .users = kForReport | kForScript, .profile = true},
    {.name = "gprof", .users = kForReport | kForScript, .profile = true},
    {.name = "butterfly", .users = kForReport | kForScript, .profile = true, .counts = true},
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
              fmt::format("--format of {} must be one of {}, not '{}'", own->first, format_names(user), name)};
  if (const FormatRow* const row = find_format(name)) {
    std::string others;
    for (const auto& [command, other] : kUsers)
      if ((row->users & static_cast<u8>(other)) != 0)
        others += fmt::format("{}{}", others.empty() ? "" : ", ", command);
    error.hint = fmt::format("{} is a format of: {}", name, others);
  } else if (const auto near = nearest(name, format_words(user))) {
    error.hint = fmt::format("did you mean '{}'?", *near);
  } else if ((user == FormatUser::Report || user == FormatUser::Diff) && edit_distance(name, "html") <= 1) {
    error.hint = "did you mean '--html FILE'?";
  }
  return std::unexpected(std::move(error));
}

Result<> take_suboption(const FormatRow& row, std::string_view word, OutputFormat& format) {
  if (row.counts && word == "count") {
    format.by_count = true;
    return {};
  }
  if (row.counts && word == "period") {
    format.by_count = false;
    return {};
  }
  if (row.name == "binary") {
    format.columns.emplace_back(word);
    return {};
  }
  if (row.name == "folded") {
    FoldRequest& fold = format.fold;
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
  if (row.name == "butterfly" && word == "all") {
    format.least_percent = 0;
    return {};
  }
  std::string words = row.counts ? "period or count" : "no arguments";
  if (row.name == "folded") words = "period, count, pid, tid, addresses, kernel, jit, inlined, all (marks), event=NAME";
  if (row.name == "butterfly") words = "period, count or all (functions)";
  return fail(ErrorKind::Usage, "--format {} takes {}, not '{}'", row.name, words, word);
}

}  // namespace

bool OutputFormat::is_profile() const {
  const FormatRow* const row = find_format(name);
  return row != nullptr && row->profile;
}

// pprof is compressed, so it may replace an earlier profile.
ContentKind OutputFormat::content() const { return name == "pprof" ? ContentKind::Gzip : ContentKind::Other; }

std::vector<std::string_view> format_words(FormatUser user) {
  std::vector<std::string_view> words;
  for (const FormatRow& row : kFormats)
    if ((row.users & static_cast<u8>(user)) != 0) words.push_back(row.name);
  return words;
}

std::string format_names(FormatUser user) { return fmt::format("{}", fmt::join(format_words(user), ", ")); }

Result<> choose_format(FormatUser user, std::string_view text, OutputFormat& format) {
  const std::size_t comma = text.find(',');
  const std::string_view name = text.substr(0, comma);
  const FormatRow* const row = find_format(name);
  if (row == nullptr || (row->users & static_cast<u8>(user)) == 0) return refuse_format(user, name);
  OutputFormat chosen;
  chosen.name = name;
  chosen.output = format.output;
  chosen.csv_safe = format.csv_safe;
  std::string_view rest = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
  while (!rest.empty()) {
    if (name == "folded" && rest.starts_with("event=")) {  // the last suboption, because event names may contain commas
      chosen.event = rest.substr(std::string_view("event=").size());
      break;
    }
    const std::size_t end = std::min(rest.find(','), rest.size());
    PEREGRINE_TRY(take_suboption(*row, rest.substr(0, end), chosen));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  format = std::move(chosen);
  return {};
}

}  // namespace peregrine
