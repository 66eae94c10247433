// For builds without OpenCSD's headers.
#include <expected>
#include <memory>
#include <span>

#include "auxtrace/coresight/etm_decoder.h"
#include "base/result.h"

namespace peregrine::auxtrace {

Result<> EtmDecoder::check() {
  return std::unexpected(Error{ErrorKind::Unsupported, "this build cannot decode CoreSight ETM traces",
                               "build with OpenCSD (Debian: apt install libopencsd-dev)"});
}

Result<std::unique_ptr<EtmDecoder>> EtmDecoder::open(std::span<const EtmRegisters>, bool, EtmSink&) {
  return std::unexpected(check().error());
}

}  // namespace peregrine::auxtrace
