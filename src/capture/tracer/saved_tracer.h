// SavedTracer: what a tracer's files said before we changed them, and the way back.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "capture/tracer/trace_folder.h"

namespace peregrine {

class SavedTracer {
 public:
  // Remembers the tracer, whether it runs, and each of these further files that is there.
  static SavedTracer take(const TraceFolder& folder, const std::vector<std::string>& files);
  // Stops the tracer, puts everything back, and lets it run if it ran. The files that would not take their value.
  std::vector<std::string> restore() const;

 private:
  struct Knob {
    std::string file;
    std::string value;               // of a file that holds one
    std::vector<std::string> items;  // of a file that lists some
    bool is_list = false;
  };
  explicit SavedTracer(TraceFolder folder) : folder_(std::move(folder)) {}
  bool put_back(const Knob& knob) const;

  TraceFolder folder_;
  std::string tracer_, running_;
  std::vector<Knob> knobs_;
};

}  // namespace peregrine
