#include "session/recording/damage.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "base/file/read_failures.h"
#include "base/text/counted.h"
#include "base/types.h"
#include "output/text/format/printable.h"
#include "unwind/unwinder.h"

namespace peregrine {
namespace {

using data::SkippedBytes;

constexpr std::size_t kMostUnreadableFiles = 5;  // named in one warning

// "12 records (345 bytes) VERB; at offset 0x10", or "…; the first at offset 0x10".
void warn_of_records(SessionListener& listener, const SkippedBytes& skipped, std::string_view one,
                     std::string_view many, std::string_view what) {
  if (skipped.count == 0) return;
  listener.warning(fmt::format("{} ({}) {}; {}at offset {:#x}", counted(skipped.count, one, many),
                               counted(skipped.bytes, "byte", "bytes"), what, skipped.count == 1 ? "" : "the first ",
                               skipped.first_offset));
}

void warn_of_places(SessionListener& listener, const SkippedBytes& skipped, std::string_view what) {
  if (skipped.count == 0) return;
  listener.warning(fmt::format("skipped {} {} {}", counted(skipped.bytes, "byte", "bytes"), what,
                               skipped.count == 1 ? fmt::format("at offset {:#x}", skipped.first_offset)
                                                  : fmt::format("at {} places, the first at offset {:#x}",
                                                                skipped.count, skipped.first_offset)));
}

void warn_of_the_end(SessionListener& listener, const data::ReadAccount& read) {
  if (read.unfinished) {
    listener.warning(
        "incomplete file: its recorder was killed or could not write (disk full, ulimit -f); showing what was written");
  }
  if (read.missing_bytes == 0 && read.cut.count == 0) return;
  std::string text = "the file is truncated; showing what it contains";
  if (read.cut.count != 0) {
    text += fmt::format("; the last record, at offset {:#x}, is incomplete ({})", read.cut.first_offset,
                        counted(read.cut.bytes, "byte", "bytes"));
  }
  if (read.missing_bytes != 0) {
    text += fmt::format("; {} are missing", counted(read.missing_bytes, "byte", "bytes"));
  }
  listener.warning(text);
}

// User stacks that end before their outermost frame. Limits set by the user are not worth a note.
void note_short_stacks(SessionListener& listener, const UnwindCounts& unwound) {
  struct Cause {
    UnwindStop stop;
    std::string_view text;
  };
  static constexpr Cause kCauses[] = {
      {UnwindStop::CutOff, "larger than the recorded part (raise it with --call-graph dwarf,SIZE)"},
      {UnwindStop::NoCfi, "in code without call frame information"},
      {UnwindStop::BadMemory, "at a frame whose registers or memory were not recorded"},
      {UnwindStop::BadRules, "at invalid call frame information"},
      {UnwindStop::NoProgress, "at a frame that would be its own caller"},
      {UnwindStop::Unsupported, "on an architecture that cannot be unwound"},
  };
  u64 all = 0, short_ones = 0;
  for (const u64 count : unwound.stacks) all += count;
  std::string text;
  for (const Cause& cause : kCauses) {
    if (unwound.of(cause.stop) == 0) continue;
    short_ones += unwound.of(cause.stop);
    text += fmt::format("{} {} {}", text.empty() ? "" : ",", unwound.of(cause.stop), cause.text);
  }
  if (short_ones == 0) return;
  listener.note(fmt::format("truncated user stacks: {} of {}:{}", short_ones, all, text));
}

void warn_of_unreadable_files(SessionListener& listener, const std::vector<ReadFailure>& files) {
  if (files.empty()) return;
  std::string names;
  for (std::size_t i = 0; i < std::min(files.size(), kMostUnreadableFiles); ++i)
    names += fmt::format("{}'{}': {}", i == 0 ? "" : ", ", files[i].path, std::strerror(files[i].error));
  if (files.size() > kMostUnreadableFiles) names += fmt::format(" and {} more", files.size() - kMostUnreadableFiles);
  listener.warning(printable(fmt::format("cannot read {}; names, code or source lines are missing", names)),
                   "check the disk, free memory and the number of open files (ulimit -n)");
}

}  // namespace

void warn_about_damage(SessionListener& listener, const ReplayAccount& account, const data::ReadAccount& read) {
  warn_of_records(listener, account.malformed_samples, "sample", "samples", "truncated, omitted");
  warn_of_records(listener, account.malformed_side_band, "record", "records",
                  "of processes and maps malformed, omitted");
  warn_of_records(listener, account.unknown_records, "record", "records", "of unknown type skipped");
  warn_of_records(listener, read.bad_header_record, "record", "records", "of the recording itself malformed, omitted");
  warn_of_records(listener, read.bad_compressed, "compressed record", "compressed records",
                  "cannot be decompressed, omitted");
  if (account.missing_chains != 0) {
    listener.warning(
        fmt::format("{} without the deferred user stack", counted(account.missing_chains, "sample", "samples")));
  }
  note_short_stacks(listener, account.unwound);
  warn_of_unreadable_files(listener, account.unreadable_files);
  warn_of_places(listener, read.zeroes, "that are zero where a record should start");
  warn_of_places(listener, read.garbage, "that are not a record");
  warn_of_the_end(listener, read);
  const u64 skipped = read.zeroes.bytes + read.garbage.bytes + read.cut.bytes;
  if (skipped == 0 || read.zeroes.count + read.garbage.count == 0) return;
  listener.note(fmt::format("{} of {} read, {} skipped", counted(read.bytes, "byte", "bytes"),
                            counted(read.records, "record", "records"), skipped));
}

void warn_about_later_read_failures(SessionListener& listener, const DsoTable& dsos, const ReplayAccount& account) {
  std::vector<ReadFailure> files = dsos.unreadable_files();
  std::erase_if(files, [&](const ReadFailure& file) {
    return std::ranges::find(account.unreadable_files, file.path, &ReadFailure::path) != account.unreadable_files.end();
  });
  warn_of_unreadable_files(listener, files);
}

}  // namespace peregrine
