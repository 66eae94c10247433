#include "output/ctf/ctf_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <expected>
#include <functional>
#include <map>
#include <string_view>
#include <utility>

#include "base/file/folder_entries.h"
#include "base/judged_file.h"
#include "base/types.h"

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

// Returns the mark of a trace's draft file, or an empty string if `name` is not a draft.
std::string mark_of(const std::string& name) {
  const std::string mark(draft_mark_of(name, kTraceDraft));
  const bool is_draft = name == mark || (name.starts_with(mark + kOfTraceDraft) &&
                                         is_trace_file(name.substr(mark.size() + std::strlen(kOfTraceDraft))));
  return is_draft ? mark : std::string();
}

// Whether the file is empty or begins like a file of one of our traces.
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
  auto mark = DraftMark::create(prepared.held_.get(), kTraceDraft);
  if (!mark) return fail_errno(folder, mark.error().system_errno);
  prepared.mark_.emplace(std::move(*mark));
  return prepared;
}

CtfFolder::CtfFolder(CtfFolder&& other) noexcept
    : folder_(std::move(other.folder_)),
      held_(std::move(other.held_)),
      mark_(std::exchange(other.mark_, {})),
      made_(std::exchange(other.made_, {})),
      old_(std::move(other.old_)) {}

CtfFolder::~CtfFolder() {
  if (mark_) {
    for (const std::string& name : drafts().value_or(std::vector<std::string>()))
      ::unlinkat(held_.get(), draft_of(name).c_str(), 0);
    ::unlinkat(held_.get(), mark_->name().c_str(), 0);
  }
  while (!made_.empty()) {
    ::rmdir(made_.back().c_str());
    made_.pop_back();
  }
}

std::string CtfFolder::prefix() const { return in_folder(mark_->name() + kOfTraceDraft); }

// Renames the metadata last, because readers do not recognize a trace without metadata.
Result<> CtfFolder::take() {
  auto names = drafts();
  if (!names) return std::unexpected(std::move(names.error()));
  std::ranges::sort(*names, std::greater());
  if (std::ranges::find(*names, "metadata") == names->end())
    return fail(ErrorKind::Denied, "'{}' was replaced by another folder in the meantime", folder_);
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
  const std::string begin = mark_->name() + kOfTraceDraft;
  while (const auto entry = entries.next())
    if (entry->name.starts_with(begin)) names.emplace_back(entry->name.substr(begin.size()));
  if (entries.error() != 0) return fail_errno(folder_, entries.error());
  return names;
}

std::string CtfFolder::draft_of(const std::string& name) const { return mark_->name() + kOfTraceDraft + name; }

Result<> CtfFolder::find_old(bool force) {
  std::vector<std::string> abandoned;
  std::map<std::string, std::optional<Fd>> marks;  // claims last until the drafts are removed
  const auto is_abandoned = [&](const std::string& name) {
    const std::string mark = mark_of(name);
    if (mark.empty()) return false;
    const auto [found, is_new] = marks.try_emplace(mark);
    if (is_new) found->second = claim_abandoned_mark(held_.get(), mark);
    return found->second.has_value();
  };
  FolderEntries entries(held_.get());
  while (const auto entry = entries.next()) {
    const std::string name(entry->name);
    if (is_abandoned(name)) {
      abandoned.push_back(name);
      continue;
    }
    if (!force)
      return std::unexpected(Error{ErrorKind::System, folder_ + ": not empty"}.with_hint("-f overwrites a trace"));
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
