// What `lock` shows of waits, whether they come from a recording or were measured: tables, values for programs, lists.
// Main thread only.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "analysis/lock/lock_usage.h"
#include "base/result.h"
#include "base/types.h"
#include "output/sink.h"
#include "output/text/kernel/lock_text.h"
#include "session/lock/lock_session.h"
#include "session/recording/traced_recording.h"
#include "session/session_listener.h"

namespace peregrine {

// The locks of a recording. Errors: a broken file; Unsupported if it has no events of locks.
Result<std::unique_ptr<LockUsage>> follow_locks(TracedRecording& recording, const LockUsage::Request& request,
                                                SessionListener& listener);

// Names of columns ("wait_total,contended"), and the one that rows are sorted by.
struct LockColumnChoice {
  std::string fields;  // empty: `usual`
  std::string key;     // empty: `usual_key`
  std::vector<LockColumn> usual;
  std::string usual_key;
  bool waits_only = false;  // there is no `acquired`
};
struct LockColumns {
  LockColumn key = LockColumn::Acquired;
  std::vector<LockColumn> shown;  // the key is the last of them if it was not chosen
};
// Errors: Usage.
Result<LockColumns> choose_columns(const LockColumnChoice& choice);

// Where a table is written.
struct LockOutput {
  std::string path;       // empty: standard output
  std::string separator;  // of values for programs; empty: a table
  bool csv_safe = false;  // with a separator
};

// Every lock that was acquired, and what was wrong with the recorded sequences unless `table` has no titles.
Result<> write_lock_report(const LockUsage& usage, const LockTable& table, LockColumn key, const LockOutput& output,
                           Sink& standard_output);

// Waits for the kernel's locks, and for those of user space as a second table.
Result<> write_contention(WatchedLocks waits, const LockTable& table, LockColumn key, const LockOutput& output,
                          Sink& standard_output);

// The names of all locks by address, or of all tasks.
enum class LockList : u8 { Locks, Tasks };
Result<> write_lock_list(const LockUsage& usage, LockList what, const LockOutput& output, Sink& standard_output);

}  // namespace peregrine
