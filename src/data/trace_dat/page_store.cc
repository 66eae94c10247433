#include "data/trace_dat/page_store.h"

#include <algorithm>
#include <expected>

namespace peregrine::data {
namespace {

constexpr std::size_t kMostPending = std::size_t{1} << 19;

}  // namespace

Result<> PageStore::append(u32 cpu, Bytes page) {
  pending_.insert(pending_.end(), page.begin(), page.end());
  of_cpu_[cpu].push_back(stored_++);
  return pending_.size() >= kMostPending ? flush() : Result<>();
}

Result<> PageStore::flush() {
  auto written = write_all(file_.get(), pending_.data(), pending_.size());
  pending_.clear();
  if (written) return {};
  Error error = std::move(written.error());
  error.message = "a temporary file for pages: " + error.message;
  return std::unexpected(std::move(error));
}

std::map<u32, u64> PageStore::counts() const {
  std::map<u32, u64> counts;
  for (const auto& [cpu, pages] : of_cpu_) counts.emplace(cpu, pages.size());
  return counts;
}

Result<std::vector<std::byte>> PageStore::read(u32 cpu, u64 first, u64 most) const {
  const auto& pages = of_cpu_.at(cpu);
  const u64 count = std::min<u64>(most, pages.size() - first);
  std::vector<std::byte> bytes(static_cast<std::size_t>(count * page_size_));
  for (u64 i = 0; i < count; ++i) {
    const auto got = pread_full(file_.get(), bytes.data() + i * page_size_, page_size_, pages[first + i] * page_size_);
    if (!got) return std::unexpected(got.error());
    if (*got != page_size_) return fail(ErrorKind::System, "a temporary file for pages: truncated");
  }
  return bytes;
}

}  // namespace peregrine::data
