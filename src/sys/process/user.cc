#include "sys/process/user.h"

#include <pwd.h>

#include <charconv>

#include "base/types.h"

namespace peregrine {

Result<std::string> user_number(const std::string& name) {
  u32 uid = 0;
  const auto parsed = std::from_chars(name.data(), name.data() + name.size(), uid);
  if (parsed.ec != std::errc() || *parsed.ptr != '\0') {
    const passwd* entry = ::getpwnam(name.c_str());
    if (entry == nullptr) return fail(ErrorKind::Usage, "Invalid User: {}", name);
    uid = entry->pw_uid;
  }
  return fmt::format("{}", uid);
}

}  // namespace peregrine
