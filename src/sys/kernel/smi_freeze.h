// SmiFreeze: stops the cores' counters in system management mode (the cpu PMU's freeze_on_smi), so that APERF minus
// the counted cycles is the time spent there. The destructor restores the previous setting.
#pragma once
#include <optional>
#include <string>
#include <utility>

#include "base/result.h"
#include "sys/kernel/ownership_record.h"
#include "sys/root.h"

namespace peregrine {

class SmiFreeze {
 public:
  // Errors: Unsupported, the kernel or the CPU has no such switch; Denied.
  static Result<SmiFreeze> engage(const Root& root);
  SmiFreeze(SmiFreeze&& other) noexcept : path_(std::move(other.path_)), record_(std::move(other.record_)) {
    other.path_.clear();
  }
  SmiFreeze& operator=(SmiFreeze&&) = delete;
  ~SmiFreeze();

 private:
  explicit SmiFreeze(std::string path) : path_(std::move(path)) {}
  std::string path_;  // switch to turn off at the end; empty if it was already on
  std::optional<OwnershipRecord> record_;
};

// Turns the switch off and settles the note of a dead owner. Returns false if the note is about something else.
bool undo_abandoned_freeze(const Root& root, OwnershipRecord& record);

}  // namespace peregrine
