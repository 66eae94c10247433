#include "session/io/io_recording.h"

#include <fmt/format.h>

#include <expected>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "abi/arch/registers.h"
#include "abi/arch/syscall.h"
#include "analysis/io/file_calls.h"
#include "event/syscall/signature.h"
#include "session/block/block_choice.h"
#include "session/block/block_recording.h"
#include "session/recording/tracepoint/recordable_tracepoints.h"

namespace peregrine {

namespace {

std::string call_numbers() {
  std::string filter;
  for (const u32 number : FileCalls::numbers(Signatures(abi::syscall_set(abi::kHostArch))))
    filter += fmt::format("{}id == {}", filter.empty() ? "" : " || ", number);
  return filter;
}

void add_filtered(const RecordableTracepoints& there, std::initializer_list<std::string_view> names,
                  const std::string& filter, std::vector<std::string>& arguments) {
  for (const std::string_view name : names) {
    if (!there.has(name)) continue;
    there.add_events({name}, arguments);
    if (!filter.empty()) arguments.push_back("--filter=" + filter);
    // The recorder's own writes would cause the next ones. The option applies to the preceding event.
    arguments.emplace_back("--exclude-perf");
  }
}

}  // namespace

Result<TracepointRecording> io_recording(const Root& root) {
  auto recording = block_recording({}, false, root);
  if (!recording) return std::unexpected(std::move(recording.error()));
  std::vector<std::string>& arguments = recording->arguments;
  arguments.emplace_back("--file-names");
  RecordableTracepoints calls("raw_syscalls", root);
  add_filtered(calls, {"sys_enter", "sys_exit"}, call_numbers(), arguments);
  add_filtered(RecordableTracepoints("filemap", root),
               {"mm_filemap_add_to_page_cache", "mm_filemap_get_pages", "mm_filemap_fault"}, "", arguments);
  add_filtered(RecordableTracepoints("writeback", root),
               {"writeback_dirty_folio", "writeback_dirty_page", "writeback_single_inode_start"}, "", arguments);
  recording->tracepoints = std::move(calls);
  return std::move(*recording);
}

}  // namespace peregrine
