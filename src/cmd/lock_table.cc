#include "cmd/lock_table.h"

#include <algorithm>
#include <cctype>

#include "cmd/text_file.h"
#include "output/csv/lock_csv.h"

namespace peregrine::cmd {

Result<> check_separator(const std::string& separator) {
  const auto is_of_names = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '.' || c == ':'; };
  if (std::ranges::none_of(separator, is_of_names)) return {};
  return fail(ErrorKind::Usage, "-x '{}': letters, digits, '_', '.' and ':' are parts of names", separator);
}

Result<> settle_user_locks(const LockTableOptions& options, std::optional<bool>& user_locks) {
  if (options.separator.empty() && options.functions.empty()) return {};
  if (user_locks.value_or(false))
    return fail(ErrorKind::Usage, "--user-locks cannot be combined with {}", options.separator.empty() ? "-S" : "-x");
  user_locks = false;
  return {};
}

Result<int> write_lock_tables(const std::vector<LockRow>& kernel, const std::optional<std::vector<LockRow>>& user,
                              const LockTable& table, const LockTableOptions& options, Invocation& call) {
  const auto print = [&](Sink& out) {
    if (!options.separator.empty()) return print_lock_csv(kernel, table, options.separator, out);
    print_lock_contention(kernel, table, out);
    if (!user) return;
    if (table.titles) out.append("\n locks of user space (futexes)\n\n");
    print_lock_contention(*user, table, out);
  };
  return write_lock_text(options, call, print);
}

Result<int> write_lock_text(const LockTableOptions& options, Invocation& call,
                            const std::function<void(Sink&)>& print) {
  if (options.output.empty())
    print(call.out);
  else
    PEREGRINE_TRY(write_whole_file(options.output, call.out, print));
  return 0;
}

}  // namespace peregrine::cmd
