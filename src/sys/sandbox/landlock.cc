#include "sys/sandbox/landlock.h"

#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>

#include "base/result.h"

namespace peregrine {

namespace {

// Layout of Linux 6.12; older kernels take a prefix of it.
struct RulesetAttributes {
  u64 files = 0, network = 0, scoped = 0;
};
constexpr std::size_t size_for(int version) { return version >= 6 ? 24 : version >= 4 ? 16 : 8; }
constexpr u64 file_rights(int version) {
  const unsigned bits = version >= 3 ? 15 : version == 2 ? 14 : 13;  // execute … make symbolic link, refer, truncate
  return (u64{1} << bits) - 1;
}
constexpr u64 kOfFiles = Landlock::kExecute | Landlock::kWrite | Landlock::kReadFile;
constexpr u64 kBind = 1, kAbstractSockets = 1, kScopedSignals = 2;

}  // namespace

int landlock_version() {
  const long version = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  return version < 0 ? 0 : static_cast<int>(version);
}

Landlock::Landlock(int version) : version_(version) {
  if (version <= 0) return;
  handled_ = file_rights(version);
  const RulesetAttributes attributes{.files = handled_, .network = kBind, .scoped = kAbstractSockets | kScopedSignals};
  rules_ = Fd(static_cast<int>(::syscall(SYS_landlock_create_ruleset, &attributes, size_for(version), 0)));
}

void Landlock::allow(const std::string& path, u64 rights, ReadFailures* failures) {
  if (!active()) return;
  int fd = -1;
  do fd = ::open(path.c_str(), O_PATH | O_CLOEXEC);
  while (fd < 0 && errno == EINTR);
  const Fd at(fd);
  if (!at) return note_failure(failures, path, errno);
  const auto add = [&](u64 allowed) {
    const landlock_path_beneath_attr rule{.allowed_access = allowed, .parent_fd = at.get()};
    return ::syscall(SYS_landlock_add_rule, rules_.get(), LANDLOCK_RULE_PATH_BENEATH, &rule, 0) == 0;
  };
  rights &= handled_;
  // Most places are folders. For a file, the kernel rejects rights that apply only to folders, so try again without
  // them.
  if (!add(rights) && errno == EINVAL && (rights & kOfFiles) != 0) add(rights & kOfFiles);
}

Result<> Landlock::enforce() {
  if (!active()) return {};
  if (::syscall(SYS_landlock_restrict_self, rules_.get(), 0) != 0) return fail_errno("Landlock");
  return {};
}

}  // namespace peregrine
