// A whole recording, read and shown as by `script -D`: header, features, records in time order, machine, resolver,
// and the text of every record and sample.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/fd.h"
#include "base/result.h"
#include "data/reader/reader.h"
#include "event/tracepoint/trace_formats.h"
#include "input.h"
#include "machine/dso/dso.h"
#include "machine/machine.h"
#include "output/sink.h"
#include "output/text/dump/raw_dump.h"
#include "output/text/field/script_fields.h"
#include "output/text/field/script_plan.h"
#include "output/text/script/script_printer.h"
#include "pipeline/replay/recorded_formats.h"
#include "pipeline/replay/replay.h"

namespace peregrine {

void fuzz_perf_data(Bytes bytes) {
  Fd fd(memfd_create("input", MFD_CLOEXEC));
  if (write(fd.get(), bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) return;
  Result<data::Reader> reader = data::Reader::open_fd(std::move(fd), "input");
  if (!reader) return;
  SymbolPlaces places;
  places.load = false;
  Machine machine(places);
  ReplayOptions options;
  options.workers = 1;
  options.every_record = true;
  options.shown.set();
  Fd nowhere(open("/dev/null", O_WRONLY | O_CLOEXEC));
  Sink out(nowhere.get());
  TraceFormats formats;
  const auto make_plan = [&] {
    if (auto recorded = recorded_formats(*reader)) formats = std::move(*recorded);
    const std::vector<std::string> names(reader->evlist().size(), "event");
    return ScriptPlan(reader->evlist(), names, ScriptFields(), formats, true);
  };
  ScriptPlan plan = make_plan();
  ScriptPrinter printer(plan, reader->evlist(), out);
  RawDump dump(*reader, std::vector<std::string>(reader->evlist().size(), "event"), RawDump::Command::Script);
  printer.set_dump(dump);
  printer.on_new_batch([&] {
    if (reader->evlist().size() <= plan.events.size()) return false;
    plan.take_events(make_plan());
    return true;
  });
  Replay replay(*reader, machine, options);
  if (!replay.run(printer)) return;
}

}  // namespace peregrine
