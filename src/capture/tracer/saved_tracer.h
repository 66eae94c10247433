// SavedTracer: the contents of a tracer's files before we changed them, to be restored.
//
// Its text is stored in an ownership record, so that another process can restore after a kill.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "capture/tracer/trace_folder.h"
#include "sys/root.h"

namespace peregrine {

class SavedTracer {
 public:
  // Saves the tracer, whether it is running, and each of the given further files that exists.
  static SavedTracer take(const TraceFolder& folder, const std::vector<std::string>& files);
  // Stops the tracer, restores everything, and starts it if it was running. Returns the files that rejected their
  // value.
  std::vector<std::string> restore() const;

  // parse() is the inverse of format(); nullopt if the text is incomplete.
  std::string format() const;
  static std::optional<SavedTracer> parse(const Root& root, std::string_view text);
  // Saves the same files of the same tracer again.
  SavedTracer take_again() const;
  // The files with different contents, except those that the kernel changes (lists of pids, and whether it is running).
  std::vector<std::string> differences(const SavedTracer& other) const;
  const TraceFolder& folder() const { return folder_; }
  const std::string& tracer() const { return tracer_; }

 private:
  struct Knob {
    std::string file;
    std::string value;               // for a single-value file
    std::vector<std::string> items;  // for a list file
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
