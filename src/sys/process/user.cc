#include "sys/process/user.h"

#include <fmt/format.h>
#include <pwd.h>

#include <string>
#include <string_view>

#include "base/number/parse_number.h"
#include "base/types.h"

namespace peregrine {

Result<std::string> user_number(std::string_view name) {
  if (const auto uid = parse_number<u32>(name)) return fmt::format("{}", *uid);
  const passwd* entry = ::getpwnam(std::string(name).c_str());
  if (entry == nullptr) return fail(ErrorKind::Usage, "Invalid User: {}", name);
  return fmt::format("{}", entry->pw_uid);
}

}  // namespace peregrine
