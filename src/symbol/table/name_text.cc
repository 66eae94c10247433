#include "symbol/table/name_text.h"

#include <fcntl.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/types.h"

namespace peregrine {

namespace {

constexpr std::size_t kFirstRead = 256;  // most names are shorter
constexpr u64 kLongest = 1 << 20;

// Leaves half of the process's descriptors to others.
bool is_scarce(int fd) {
  rlimit limit{};
  return ::getrlimit(RLIMIT_NOFILE, &limit) != 0 || static_cast<rlim_t>(fd) >= limit.rlim_cur / 2;
}

}  // namespace

NameText NameText::in_file(int fd, u64 offset, u64 size) {
  NameText text;
  text.offset_ = offset;
  text.size_ = size;
  Fd own(::fcntl(fd, F_DUPFD_CLOEXEC, 0));
  if (own && !is_scarce(own.get())) text.file_ = std::move(own);
  return text;
}

std::string NameText::at(u64 place) const {
  if (place >= size_) return {};
  if (!file_) return memory_.c_str() + place;
  std::string name;
  for (u64 wanted = kFirstRead; name.size() < kLongest; wanted *= 4) {
    const std::size_t had = name.size();
    const u64 more = std::min(wanted, size_ - place - had);
    name.resize(had + more);
    const auto count = pread_full(file_.get(), name.data() + had, more, offset_ + place + had);
    if (!count) {
      read_failed_.set(count.error().system_errno);
      return {};
    }
    name.resize(had + *count);
    if (const auto end = name.find('\0', had); end != std::string::npos) return name.substr(0, end);
    if (*count < wanted) break;
  }
  return name;
}

NameText NameText::loaded() const {
  if (!file_) return NameText(memory_);
  std::string text(size_, '\0');
  const auto count = pread_full(file_.get(), text.data(), text.size(), offset_);
  if (!count) read_failed_.set(count.error().system_errno);
  text.resize(count ? *count : 0);
  return NameText(std::move(text));
}

}  // namespace peregrine
