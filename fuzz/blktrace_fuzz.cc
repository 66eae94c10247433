// A stream of blktrace: its records, as lines and sums, and the times between them.
#include <string>

#include "analysis/block/block_event.h"
#include "analysis/block/block_report.h"
#include "analysis/block/block_totals.h"
#include "data/blktrace/blktrace_files.h"
#include "input.h"
#include "output/sink.h"
#include "output/text/block/block_line.h"
#include "output/text/block/block_report_text.h"
#include "output/text/block/block_totals_text.h"
#include "scratch_folder.h"

void peregrine::fuzz_blktrace(Bytes bytes) {
  static const ScratchFolder folder;
  const auto paths = data::find_blktrace_files(folder.put("sda.blktrace.0", as_text(bytes)));
  auto files = data::BlktraceFiles::open(paths);
  if (!files) return;
  Sink out;
  const auto name = [](u32) { return std::string("sda"); };
  BlockLine line(out);
  BlockTotals totals;
  BlockReport report({.keys = {BlockKey::Comm, BlockKey::Kind}, .device_name = name, .points = true});
  BlockProcessNames names;
  while (true) {
    const auto record = files->next();
    if (!record || !*record) break;
    BlockEvent event;
    event.record = **record;
    event.comm = names.name_of(event.record);
    line.print(event);
    totals.add(event);
    report.add(event);
  }
  print_block_totals(totals, name, out);
  print_block_report(report, {.device_name = name, .keys = {"comm", "rwbs"}, .all_data = true}, out);
}
