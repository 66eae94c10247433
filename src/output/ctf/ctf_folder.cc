#include "output/ctf/ctf_folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <functional>
#include <utility>

#include <fmt/format.h>

#include "base/file/folder_entries.h"
#include "base/file/output_place.h"
#include "base/judged_file.h"

namespace peregrine {

namespace {

constexpr const char* kTraceDraft = "trace";
constexpr const char* kOfTraceDraft = ".";

bool is_trace_file(const std::string& name) {
  constexpr std::string_view kStream = "perf_stream_";
  if (name == "metadata") return true;
  return name.starts_with(kStream) && name.size() > kStream.size() &&
         std::all_of(name.begin() + kStream.size(), name.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// Drafts of a killed process: ".trace.PID.new", ".trace.PID-2.new.perf_stream_0", … of a PID that nobody else has.
bool is_abandoned_draft(const std::string& name) {
  constexpr std::string_view kBegin = ".trace.", kEnd = ".new";
  if (!name.starts_with(kBegin)) return false;
  const std::size_t end = name.find(kEnd, kBegin.size());
  if (end == std::string::npos) return false;
  const std::string file = name.substr(end + kEnd.size());
  if (!file.empty() && !(file.starts_with(kOfTraceDraft) && is_trace_file(file.substr(1)))) return false;
  pid_t process = 0;
  const char* const stop = name.data() + end;
  const auto [after, error] = std::from_chars(name.data() + kBegin.size(), stop, process);
  if (error != std::errc() || process <= 0 || (after != stop && *after != '-')) return false;
  // In place of kill(2), which the sandbox refuses for any process.
  return process == ::getpid() || (::getpgid(process) < 0 && errno == ESRCH);
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

}  // namespace

Result<CtfFolder> CtfFolder::prepare(const std::string& folder, bool force) {
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
  auto draft = make_with_draft_name(kTraceDraft, [&](const char* free) {
    return Fd(::openat(prepared.held_.get(), free, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600)) ? 0
                                                                                                                : errno;
  });
  if (!draft) return fail_errno(folder, draft.error().system_errno);
  prepared.draft_ = std::move(*draft);
  return prepared;
}

CtfFolder::CtfFolder(CtfFolder&& other) noexcept
    : folder_(std::move(other.folder_)),
      held_(std::move(other.held_)),
      draft_(std::exchange(other.draft_, {})),
      made_(std::exchange(other.made_, {})),
      old_(std::move(other.old_)) {}

CtfFolder::~CtfFolder() {
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

std::string CtfFolder::prefix() const { return in_folder(draft_ + kOfTraceDraft); }

// The metadata last: without them nobody takes the folder for a trace.
Result<> CtfFolder::take() {
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

std::string CtfFolder::in_folder(const std::string& name) const { return fmt::format("{}/{}", folder_, name); }

Result<std::vector<std::string>> CtfFolder::drafts() const {
  std::vector<std::string> names;
  FolderEntries entries(held_.get());
  const std::string begin = draft_ + kOfTraceDraft;
  while (const auto entry = entries.next())
    if (entry->name.starts_with(begin)) names.emplace_back(entry->name.substr(begin.size()));
  if (entries.error() != 0) return fail_errno(folder_, entries.error());
  return names;
}

std::string CtfFolder::draft_of(const std::string& name) const { return draft_ + kOfTraceDraft + name; }

Result<> CtfFolder::find_old(bool force) {
  std::vector<std::string> abandoned;
  FolderEntries entries(held_.get());
  while (const auto entry = entries.next()) {
    const std::string name(entry->name);
    if (is_abandoned_draft(name)) {
      abandoned.push_back(name);
      continue;
    }
    if (!force)
      return std::unexpected(
          Error{ErrorKind::System, folder_ + ": there are files in it"}.with_hint("-f writes over a trace"));
    if (!is_trace_file(name)) continue;
    if (!is_of_trace(held_.get(), name))
      return fail(ErrorKind::Denied, "'{}' is not part of a trace: not replaced", in_folder(name));
    old_.push_back(name);
  }
  if (entries.error() != 0) return fail_errno(folder_, entries.error());
  for (const std::string& name : abandoned) ::unlinkat(held_.get(), name.c_str(), 0);
  return {};
}

}  // namespace peregrine
