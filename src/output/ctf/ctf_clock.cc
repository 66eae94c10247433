#include "output/ctf/ctf_clock.h"

#include <time.h>

#include <expected>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/types.h"
#include "output/ctf/ctf_stream.h"

namespace peregrine {

namespace {

std::string_view ctf_clock_name(u32 id) {
  switch (id) {
    case CLOCK_REALTIME:
      return "realtime";
    case CLOCK_MONOTONIC:
      return "monotonic";
    case CLOCK_MONOTONIC_RAW:
      return "monotonic_raw";
    case CLOCK_BOOTTIME:
      return "boottime";
    case CLOCK_TAI:
      return "tai";
    default:
      return "perf clock";
  }
}

}  // namespace

Result<CtfClock> recorded_ctf_clock(const data::Reader& reader, bool wall_clock) {
  if (!wall_clock) return CtfClock{};
  const auto& data = reader.header().features.clock_data;
  if (!data)
    return std::unexpected(Error{ErrorKind::NotFound, "Can't provide --tod time, missing clock data"}.with_hint(
        "record with -k CLOCK, or convert without --tod"));
  const u64 offset_ns = data->wall_clock_ns - data->clock_ns;
  if (offset_ns >= CtfStream::kLastTime)
    return fail(ErrorKind::Malformed, "{}: damaged clock data: {} ns since 1970, {} ns of its clock", reader.path(),
                data->wall_clock_ns, data->clock_ns);
  return CtfClock{.description = std::string(ctf_clock_name(data->clockid)), .offset_ns = offset_ns, .absolute = true};
}

}  // namespace peregrine
