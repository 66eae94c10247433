#include "pipeline/bundle/unpack_budget.h"

#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/statfs.h>

#include <expected>
#include <utility>

#include "sys/hardware/memory.h"
#include "sys/root.h"

namespace peregrine {
namespace {

constexpr u64 kMostReserve = u64{1} << 30;  // on a large file system; 1/20 of a small one

// Returns how much may be written: the reserve is for other programs.
u64 space_to_spare(const std::string& folder) {
  struct statfs system{};
  if (::statfs(folder.c_str(), &system) != 0) return ~u64{0};  // unknown: let the write fail
  const auto block = static_cast<u64>(system.f_bsize);
  const u64 free = system.f_bavail * block, reserve = std::min(kMostReserve, system.f_blocks * block / 20);
  u64 spare = free - std::min(free, reserve);
  if (system.f_type != TMPFS_MAGIC && system.f_type != RAMFS_MAGIC) return spare;
  const u64 available = available_memory_kb(Root()) << 10, kept = (total_memory_kb(Root()) << 10) / 8;
  return std::min(spare, available - std::min(available, kept));
}

}  // namespace

UnpackBudget::UnpackBudget(std::string name, u64 packed_size, std::string folder, const UnpackLimits& limits)
    : name_(std::move(name)),
      folder_(std::move(folder)),
      limits_(limits),
      most_(std::max(limits.always, packed_size > ~u64{0} / limits.ratio ? ~u64{0} : packed_size * limits.ratio)) {}

Result<> UnpackBudget::add_bytes(u64 size) {
  used_ += size;
  if (used_ <= most_) return {};
  return std::unexpected(
      Error{ErrorKind::Unsupported, fmt::format("{}: unpacks to more than {} MB, which is more than {} times its size",
                                                name_, most_ >> 20, limits_.ratio)}
          .with_hint("if you trust it, unpack it yourself and read its contents"));
}

Result<> UnpackBudget::add_member() {
  if (++members_ <= limits_.members) return {};
  return fail(ErrorKind::Malformed, "{}: has more than {} members", name_, limits_.members);
}

Result<> UnpackBudget::add_file() {
  if (++files_ <= limits_.files) return {};
  return fail(ErrorKind::Malformed, "{}: has more than {} files", name_, limits_.files);
}

Result<> UnpackBudget::check_space(u64 wanted) const {
  const u64 spare = std::min(space_to_spare(folder_), limits_.free_space);
  if (wanted <= spare) return {};
  return std::unexpected(Error{ErrorKind::System, fmt::format("{}: another {} MB do not fit in {} ({} MB available)",
                                                              name_, (wanted >> 20) + 1, folder_, spare >> 20)}
                             .with_hint("set TMPDIR to a folder with more space"));
}

}  // namespace peregrine
