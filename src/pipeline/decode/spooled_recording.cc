#include "pipeline/decode/spooled_recording.h"

#include <fcntl.h>

#include <cerrno>
#include <cstddef>
#include <expected>
#include <utility>

#include "abi/record_rows.h"
#include "base/result.h"
#include "data/header.h"
#include "data/writer/copy_writer.h"
#include "pipeline/rewrite/rewrite.h"
#include "sys/root.h"

namespace peregrine {

// AUXTRACE_INFO precedes the first kernel record, and the reader has read up to that.
bool needs_spooling(const data::Reader& reader) {
  constexpr auto kInfo = static_cast<std::size_t>(abi::RecordType::AuxtraceInfo);
  return reader.header().layout == data::Layout::Pipe && reader.account().by_type[kInfo] != 0;
}

Result<data::Reader> spool_recording(data::Reader& reader, Fd file) {
  Fd copy(::fcntl(file.get(), F_DUPFD_CLOEXEC, 3));
  if (!copy) return fail_errno("cannot duplicate the temporary file for hardware traces");
  data::CopyWriter writer(std::move(copy), "the temporary file for hardware traces", false);
  auto written = rewrite(Root(), reader, std::move(writer), {});
  if (!written) {
    Error error = std::move(written.error());
    if (error.system_errno == ENOSPC && error.hint.empty()) error.hint = "set TMPDIR to a folder with more space";
    return std::unexpected(std::move(error));
  }
  return data::Reader::open_fd(std::move(file), reader.path());
}

}  // namespace peregrine
