// The --file-names part of Recording::State: writes the paths of open files as samples, at the beginning of each file,
// and those of newly opened ones in each lap.
#include <algorithm>
#include <cstddef>
#include <expected>
#include <utility>

#include "base/bytes.h"
#include "base/result.h"
#include "capture/sampling/file_name_sampler.h"
#include "event/config/bpf_output_event.h"
#include "pipeline/recording/recording.h"
#include "pipeline/recording/recording_state.h"

namespace peregrine {

// Without BPF programs, the recording has all events, but no names.
Result<> Recording::State::open_file_names() {
  const auto event =
      std::ranges::find_if(events, [](const EventSpec& spec) { return is_bpf_output_event(spec, kFileNamesEvent); });
  if (event == events.end()) return fail(ErrorKind::Unsupported, "cannot open the --file-names event");
  const auto& ids = recorder->ids()[static_cast<std::size_t>(event - events.begin())];
  auto opened = FileNameSampler::open(root, event->attr, ids.empty() ? 0 : ids.front(), target);
  if (opened)
    file_names.emplace(std::move(*opened));
  else
    summary.warnings.push_back("names of opened files were not recorded: " + opened.error().message);
  return {};
}

Result<> Recording::State::take_open_files() {
  ByteWriter records;
  const auto count = file_names->take_open(records);
  if (!count) return std::unexpected(count.error());
  summary.samples += *count;
  return output->writer().append(records.bytes());
}

Result<bool> Recording::State::take_file_names() {
  if (const auto late = file_names->notice_narrow(); !late)
    summary.warnings.push_back("names of files opened by 32-bit programs were not recorded: " + late.error().message);
  ByteWriter records;
  const auto count = file_names->take_opened(records);
  if (!count) return std::unexpected(count.error());
  summary.samples += *count;
  if (records.size() > 0) PEREGRINE_TRY(output->writer().append(records.bytes()));
  return records.size() > 0;
}

}  // namespace peregrine
