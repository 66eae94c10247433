#include "cmd/lock/lock_table.h"

#include <algorithm>
#include <cctype>

#include "cli/frame/text_file.h"
#include "output/csv/lock_csv.h"
#include "output/csv/safe_cells.h"

namespace peregrine::cmd {

namespace {

void print_values(const std::vector<LockRow>& rows, const LockTable& table, const LockTableOptions& options,
                  Sink& out) {
  if (!options.csv_safe) return print_lock_csv(rows, table, options.separator, out);
  Sink plain;
  print_lock_csv(rows, table, options.separator, plain);
  out.append(safe_lines(plain.text(), {.separator = options.separator}));
}

}  // namespace

Result<> check_separator(const LockTableOptions& options) {
  const std::string& separator = options.separator;
  if (options.csv_safe && separator.empty()) return fail(ErrorKind::Usage, "--csv-safe needs -x");
  const auto is_of_names = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '.' || c == ':'; };
  if (std::ranges::none_of(separator, is_of_names)) return {};
  return fail(ErrorKind::Usage, "-x '{}': letters, digits, '_', '.' and ':' are parts of names", separator);
}

Result<> settle_user_locks(const LockTableOptions& options, LockBy by, std::optional<bool>& user_locks) {
  if (options.separator.empty()) return {};
  if (user_locks.value_or(false) && by == LockBy::Task)
    return fail(ErrorKind::Usage, "--user-locks cannot be combined with -x and -t: values of tasks have no type");
  if (!user_locks) user_locks = false;
  return {};
}

Result<int> write_lock_tables(const std::vector<LockRow>& kernel, const std::optional<std::vector<LockRow>>& user,
                              const LockTable& table, const LockTableOptions& options, Invocation& call) {
  const auto print = [&](Sink& out) {
    if (!options.separator.empty()) {
      print_values(kernel, table, options, out);
      LockTable more = table;
      more.titles = false;
      if (user) print_values(*user, more, options, out);
      return;
    }
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
