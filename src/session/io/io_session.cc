#include "session/io/io_session.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <expected>
#include <ranges>
#include <utility>

#include "analysis/io/io_sink.h"
#include "base/text/words.h"
#include "output/csv/io_csv.h"
#include "output/text/io/io_text.h"
#include "session/block/block_names.h"
#include "session/recording/recorded_calls.h"
#include "sys/root.h"

namespace peregrine {

namespace {

void report_gaps(const IoSink::Gaps& gaps, SessionListener& listener) {
  if (gaps.calls) listener.note("no system calls: the recording lacks raw_syscalls:sys_enter or sys_exit");
  if (gaps.names)
    listener.note(
        "files opened by the processes have no names: the recording has no file-names samples, which need BPF");
  if (gaps.lookups)
    listener.note("no page-cache hits and misses: the recording lacks filemap:mm_filemap_get_pages (Linux 6.10)");
  if (gaps.cache)
    listener.note("no pages added to the page cache: the recording lacks filemap:mm_filemap_add_to_page_cache");
  if (gaps.block) listener.note("no block I/O: the recording lacks the block tracepoints");
  if (gaps.vectors != 0)
    listener.note(
        "calls with vectors (readv, writev) count as requested what they returned: the sizes of vectors are "
        "not recorded");
}

}  // namespace

Result<std::vector<IoKey>> parse_io_keys(std::string_view list) {
  std::vector<IoKey> keys;
  for (const std::string& word : split_words(list)) {
    const auto found = std::ranges::find(kIoKeys, std::string_view(word));
    if (found == kIoKeys.end())
      return fail(ErrorKind::Usage, "unknown --by key '{}': must be one of {}", word, fmt::join(kIoKeys, ", "));
    const auto key = static_cast<IoKey>(found - kIoKeys.begin());
    if (std::ranges::find(keys, key) != keys.end()) return fail(ErrorKind::Usage, "--by names '{}' twice", word);
    keys.push_back(key);
  }
  if (keys.empty()) return fail(ErrorKind::Usage, "--by is empty: must be one of {}", fmt::join(kIoKeys, ", "));
  return keys;
}

Result<IoOrder> parse_io_order(std::string_view name) {
  const auto found = std::ranges::find(kIoOrders, name, &IoOrder::name);
  if (found != kIoOrders.end()) return *found;
  return fail(ErrorKind::Usage, "unknown --sort key '{}': must be one of {}", name,
              fmt::join(kIoOrders | std::views::transform(&IoOrder::name), ", "));
}

Result<> show_io_report(TracedRecording& recording, const IoReportRequest& request, Sink& out,
                        SessionListener& listener) {
  const BlockNames names = BlockNames::of_recording(*recording.reader, Root());
  IoSink sink(*recording.reader, recorded_calls(*recording.reader),
              {.processes = request.processes,
               .recorder = request.recorder,
               .disk_of = [&](u32 device) { return names.disk_of(device); },
               .device_name = [&](u32 device) { return names.name(device); }});
  PEREGRINE_TRY(replay_traced(recording, sink, {}, listener));
  const std::vector<IoRow> rows = sink.rows();
  const IoNode tree = make_io_tree(rows, request.keys, request.order);
  if (request.separator.empty())
    print_io_tree(tree, request.rows, out);
  else
    print_io_csv(tree, request.keys, request.separator, out);
  report_gaps(sink.gaps(), listener);
  return {};
}

}  // namespace peregrine
