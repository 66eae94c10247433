#include "cmd/inject/vm_time_correlation.h"

#include <fcntl.h>

#include "cmd/recording/recording.h"
#include "data/reader/recording_file.h"

namespace peregrine::cmd {
namespace {

constexpr int kNotCorrelated = 255;

// The file that was opened for reading and judged; its path may be another's by now.
Result<Fd> open_for_writing(const data::RecordingFile& judged) {
  Fd file(::open(judged.name.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK));
  struct stat status{};
  if (!file || ::fstat(file.get(), &status) != 0) return fail_errno(judged.name);
  if (status.st_dev != judged.status.st_dev || status.st_ino != judged.status.st_ino || judged.folder)
    return fail(ErrorKind::Unsupported, "{}: another file is there now", judged.name);
  return file;
}

}  // namespace

Result<int> correlate_vm_times(const std::string& input, const VmTimeOptions& options, bool force, Invocation& call) {
  if (input == "-") return fail(ErrorKind::Usage, "--vm-time-correlation changes a file in place: name it with -i");
  if (!force && !options.dry_run) {
    return std::unexpected(Error{ErrorKind::Usage, fmt::format("--vm-time-correlation changes '{}' in place", input),
                                 "give --force, or dry-run to see what would be changed"});
  }
  auto opened = data::open_recording_file(input, force ? TrustedOwner::Anyone : TrustedOwner::SelfOrRoot);
  if (!opened) {
    say_open_error(call, input, opened.error());
    return kNotCorrelated;
  }
  Fd file;
  if (!options.dry_run) {
    auto writable = open_for_writing(*opened);
    if (!writable) return std::unexpected(std::move(writable.error()));
    file = std::move(*writable);
  }
  auto reader = data::Reader::open(std::move(*opened));
  if (!reader) {
    say_open_error(call, input, reader.error());
    return kNotCorrelated;
  }
  const auto found = peregrine::correlate_vm_times(*reader, options, file.get());
  if (!found) return std::unexpected(found.error());
  for (const std::string& error : found->errors) call.messages.verbatim(fmt::format("ERROR: {}\n", error));
  for (const VmTimes::Guest& guest : found->guests)
    call.out.format("VMCS: {:#x}  TSC Offset {:#x}\n", guest.vmcs, guest.ticks);
  for (const VmTimes::Guest& guest : found->guests)
    if (guest.is_converted && found->errors.empty())
      call.messages.note(
          fmt::format("the times of VMCS {:#x} are the host's already and stay as they are", guest.vmcs));
  if (found->packets == 0) call.messages.warning("the trace has no times of guests");
  return found->errors.empty() || options.dry_run ? 0 : kNotCorrelated;
}

}  // namespace peregrine::cmd
