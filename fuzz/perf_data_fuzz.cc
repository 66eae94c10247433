// A whole recording, as `report` and `script` read it: header, features, records in time order, machine, resolver.
#include <sys/mman.h>
#include <unistd.h>

#include "data/reader.h"
#include "input.h"
#include "machine/machine.h"
#include "pipeline/replay/replay.h"

namespace peregrine {

namespace {

class Chains : public ReplaySink {
 public:
  void sample(const ReplaySample& sample, Resolver& resolver, unsigned) override {
    frames_.clear();
    resolver.chain(sample.context, sample.sample.callchain, 127, frames_);
    if (!frames_.empty()) resolver.symbol_name(resolver.at(frames_.front()));
  }

 private:
  std::vector<FrameId> frames_;
};

}  // namespace

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
  Replay replay(*reader, machine, options);
  Chains chains;
  if (!replay.run(chains)) return;
}

}  // namespace peregrine
