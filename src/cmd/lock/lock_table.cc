#include "cmd/lock/lock_table.h"

#include <algorithm>
#include <cctype>
#include <string>

#include "analysis/lock/lock_usage.h"
#include "base/result.h"

namespace peregrine::cmd {

Result<> check_separator(const LockOutput& options) {
  const std::string& separator = options.separator;
  if (options.csv_safe && separator.empty()) return fail(ErrorKind::Usage, "--csv-safe requires -x");
  const auto is_of_names = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '.' || c == ':'; };
  if (std::ranges::none_of(separator, is_of_names)) return {};
  return fail(ErrorKind::Usage, "invalid -x '{}': must not contain letters, digits, '_', '.' or ':'", separator);
}

Result<> settle_user_locks(const LockOutput& options, LockBy by, std::optional<bool>& user_locks) {
  if (options.separator.empty()) return {};
  if (user_locks.value_or(false) && by == LockBy::Task)
    return fail(ErrorKind::Usage, "--user-locks cannot be combined with -x and -t: rows of tasks have no lock type");
  if (!user_locks) user_locks = false;
  return {};
}

}  // namespace peregrine::cmd
