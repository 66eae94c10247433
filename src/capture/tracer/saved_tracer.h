// SavedTracer: what a tracer's files said before we changed them, and the way back.
//
// As text it is part of an ownership record, so that another process can put back what a killed one has changed.
#pragma once
#include <optional>
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

  // parse() is the inverse of format(); nullopt when the text is not complete.
  std::string format() const;
  static std::optional<SavedTracer> parse(const Root& root, std::string_view text);
  // Takes the same files of the same tracer again.
  SavedTracer take_again() const;
  // The files that say something else here than there, without those that the kernel itself changes (lists of pids,
  // and whether it runs).
  std::vector<std::string> differences(const SavedTracer& other) const;
  const TraceFolder& folder() const { return folder_; }
  const std::string& tracer() const { return tracer_; }

 private:
  struct Knob {
    std::string file;
    std::string value;               // of a file that holds one
    std::vector<std::string> items;  // of a file that lists some
    bool is_list = false;
    friend bool operator==(const Knob&, const Knob&) = default;
  };
  explicit SavedTracer(TraceFolder folder) : folder_(std::move(folder)) {}
  bool put_back(const Knob& knob) const;

  TraceFolder folder_;
  std::string tracer_, running_;
  std::vector<Knob> knobs_;
};

}  // namespace peregrine
