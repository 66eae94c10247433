// The output of `lock` for waits, recorded or measured: tables, values for programs, lists.
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

// The locks of a recording. Errors: a broken file; Unsupported, the recording has no lock events.
Result<std::unique_ptr<LockUsage>> follow_locks(TracedRecording& recording, const LockUsage::Request& request,
                                                SessionListener& listener);

// Names of columns ("wait_total,contended"), and the column that determines the order.
struct LockColumnChoice {
  std::string fields;  // empty: `usual`
  std::string key;     // empty: `usual_key`
  std::vector<LockColumn> usual;
  std::string usual_key;
  bool waits_only = false;  // `acquired` is not available
};
struct LockColumns {
  LockColumn key = LockColumn::Acquired;
  std::vector<LockColumn> shown;  // the key is the last of them if it was not chosen
};
// Errors: Usage.
Result<LockColumns> choose_columns(const LockColumnChoice& choice);

// Where to write a table.
struct LockOutput {
  std::string path;       // empty: standard output
  std::string separator;  // for values for programs; empty: a table
  bool csv_safe = false;  // with a separator
};

// Prints every lock that was acquired and, unless `table` has no titles, what was wrong with the recorded sequences.
Result<> write_lock_report(const LockUsage& usage, const LockTable& table, LockColumn key, const LockOutput& output,
                           Sink& standard_output);

// Prints waits for the kernel's locks, and those for user-space locks as a second table.
Result<> write_contention(WatchedLocks waits, const LockTable& table, LockColumn key, const LockOutput& output,
                          Sink& standard_output);

// Prints the names of all locks by address, or of all tasks.
enum class LockList : u8 { Locks, Tasks };
Result<> write_lock_list(const LockUsage& usage, LockList what, const LockOutput& output, Sink& standard_output);

}  // namespace peregrine
