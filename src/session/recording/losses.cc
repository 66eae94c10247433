#include "session/recording/losses.h"

#include <fmt/format.h>

#include <cstddef>

#include "abi/record_rows.h"
#include "base/text/counted.h"
#include "session/recording/damage.h"

namespace peregrine {

namespace {

void warn_about_jitdumps(SessionListener& listener, const ReplayAccount& account) {
  if (account.lost_jitdumps != 0) {
    listener.warning(
        fmt::format("{} of a JIT compiler is unreadable; its code has no names",
                    account.lost_jitdumps == 1 ? "a dump" : fmt::format("{} dumps", account.lost_jitdumps)));
  }
  if (account.timeless_jitdumps != 0) {
    listener.warning(
        "the JIT compiler's dump uses a different clock; code is named after the last owner of its address "
        "(record with -k mono)");
  }
}

void warn_about_outside_processes(SessionListener& listener, const ReplayAccount& account) {
  if (account.outside_records == 0) return;
  listener.warning(
      "recorded inside a PID namespace: outside processes have pid 0, shown as swapper without function names",
      "record outside the namespace (container) to see them");
}

void warn_about_traces(SessionListener& listener, const ReplayAccount& account) {
  if (account.aux_lost != 0)
    listener.warning(
        fmt::format("AUX data lost {}: parts of hardware traces are missing", counted(account.aux_lost, "time")),
        "record with larger buffers: -m ,PAGES");
  if (account.aux_partial != 0)
    listener.warning(fmt::format("AUX data had gaps in it {}", counted(account.aux_partial, "time")),
                     "a KVM guest may have been running");
  if (account.aux_collisions != 0)
    listener.warning(fmt::format("AUX data has {}: trace records came too fast for their buffer",
                                 counted(account.aux_collisions, "collision")),
                     "record with a longer period");
}

}  // namespace

void warn_about_losses(SessionListener& listener, const ReplayAccount& account, const data::ReadAccount& read) {
  warn_about_jitdumps(listener, account);
  warn_about_traces(listener, account);
  warn_about_outside_processes(listener, account);
  if (account.lost_records != 0) {
    listener.verbatim(fmt::format("Warning:\nProcessed {} events and lost {} chunks!\n\nCheck IO/CPU overload!\n\n",
                                  read.records, account.lost_records));
  }
  if (account.lost_samples != 0) {
    const auto lost = static_cast<double>(account.lost_samples);
    const double share = lost / (lost + static_cast<double>(account.samples));
    if (share > 0.05) {
      listener.verbatim(fmt::format("Warning:\nProcessed {} samples and lost {:3.2f}%!\n\n",
                                    account.samples + account.lost_samples, share * 100));
    }
  }
  if (account.unordered != 0) {
    listener.verbatim(fmt::format("Warning:\n{} out of order events recorded.\n", account.unordered));
  }
  if (account.proc_map_timeouts != 0) {
    listener.verbatim(fmt::format(
        "Warning:\n{} map information files for pre-existing threads were\nnot processed, if there are samples for "
        "addresses they\nwill not be resolved, you may find out which are these\nthreads by running with -v and "
        "redirecting the output\nto a file.\nThe time limit to process proc map is too short?\nIncrease it by "
        "--proc-map-timeout\n",
        account.proc_map_timeouts));
  }
  if (account.unknown_event.count != 0) {
    listener.verbatim(
        fmt::format("Warning:\n{} samples with id not present in the header\n", account.unknown_event.count));
  }
  constexpr auto kTraceError = static_cast<std::size_t>(abi::RecordType::AuxtraceError);
  if (account.records.size() > kTraceError && account.records[kTraceError] != 0)
    listener.verbatim(fmt::format("Warning:\n{} instruction trace errors\n", account.records[kTraceError]));
  warn_about_damage(listener, account, read);
}

}  // namespace peregrine
