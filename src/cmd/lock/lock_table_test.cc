#include "cmd/lock/lock_table.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>

namespace peregrine::cmd {
namespace {

std::string why_refused(const Result<>& checked) { return checked ? "" : checked.error().message; }

LockOutput separated_by(std::string separator, bool csv_safe = false) {
  LockOutput output;
  output.separator = std::move(separator);
  output.csv_safe = csv_safe;
  return output;
}

TEST(LockSeparator, IsNoPartOfNames) {
  for (const char* fits : {"", ",", ";", "\t", "\\", " | ", "→"})
    EXPECT_EQ(why_refused(check_separator(separated_by(fits))), "") << fits;
  for (const char* wrong : {"x", "9", "_", ".", ":", ", y"})
    EXPECT_EQ(why_refused(check_separator(separated_by(wrong))),
              std::string("invalid -x '") + wrong + "': must not contain letters, digits, '_', '.' or ':'");
}

TEST(LockSeparator, IsNeededForSafeCells) {
  EXPECT_EQ(why_refused(check_separator(separated_by("", true))), "--csv-safe requires -x");
  EXPECT_EQ(why_refused(check_separator(separated_by(",", true))), "");
}

TEST(LockSeparator, ProgramsThatReadValuesExpectTheKernelsLocks) {
  struct Case {
    const char* separator;
    LockBy by;
    std::optional<bool> before, after;
  };
  for (const Case& test : {Case{"", LockBy::Caller, std::nullopt, std::nullopt},
                           Case{",", LockBy::Caller, std::nullopt, false}, Case{",", LockBy::Caller, true, true},
                           Case{",", LockBy::Task, false, false}, Case{"", LockBy::Task, true, true}}) {
    std::optional<bool> user_locks = test.before;
    EXPECT_EQ(why_refused(settle_user_locks(separated_by(test.separator), test.by, user_locks)), "");
    EXPECT_EQ(user_locks, test.after);
  }
  std::optional<bool> user_locks = true;
  EXPECT_EQ(why_refused(settle_user_locks(separated_by(","), LockBy::Task, user_locks)),
            "--user-locks cannot be combined with -x and -t: rows of tasks have no lock type");
}

}  // namespace
}  // namespace peregrine::cmd
