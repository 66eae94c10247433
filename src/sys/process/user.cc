#include "sys/process/user.h"

#include <fmt/format.h>
#include <pwd.h>

#include "base/number/parse_number.h"
#include "base/types.h"

namespace peregrine {

Result<std::string> user_number(const std::string& name) {
  if (const auto uid = parse_number<u32>(name)) return fmt::format("{}", *uid);
  const passwd* entry = ::getpwnam(name.c_str());
  if (entry == nullptr) return fail(ErrorKind::Usage, "Invalid User: {}", name);
  return fmt::format("{}", entry->pw_uid);
}

}  // namespace peregrine
