// The counts of a `stat record` recording, as `stat report` reads, sums and shows them.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

#include <utility>

#include "analysis/stat/stat_place.h"
#include "analysis/stat/stat_table.h"
#include "base/bytes.h"
#include "base/fd.h"
#include "data/reader/reader.h"
#include "input.h"
#include "output/json/stat_json.h"
#include "output/sink.h"
#include "output/text/stat/stat_text.h"
#include "pipeline/counting/stat_reader.h"

namespace peregrine {

void fuzz_stat_file(Bytes bytes) {
  Fd fd(memfd_create("input", MFD_CLOEXEC));
  if (write(fd.get(), bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) return;
  auto recording = data::Reader::open_fd(std::move(fd), "input");
  if (!recording) return;
  auto reader = StatReader::open(*recording);
  if (!reader) return;
  const auto& features = reader->header().features;
  StatLayout layout{.aggregation = aggregation_of(reader->aggregation(), features.version.value_or(""))};
  if (is_by_cpu(layout.aggregation))
    layout.places = cpu_places(layout.aggregation, reader->cpus(), recorded_arrangement(features));
  Fd nowhere(open("/dev/null", O_WRONLY | O_CLOEXEC));
  Sink out(nowhere.get());
  for (;;) {
    auto round = reader->next();
    if (!round || !*round) return;
    StatTable table(reader->events(), reader->supported(), layout);
    table.add_run((*round)->readings, {.wall_ns = (*round)->since_start_ns});
    print_stat_rows(table, table.rows(), {}, out);
    print_stat_json(table, table.rows(), {}, out);
  }
}

}  // namespace peregrine
