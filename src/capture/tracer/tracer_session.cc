#include "capture/tracer/tracer_session.h"

#include <sys/types.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <expected>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "capture/tracer/saved_tracer.h"
#include "capture/tracer/trace_folder.h"
#include "capture/tracer/tracer_plan.h"
#include "sys/root.h"

namespace peregrine {
Result<TracerSession> TracerSession::start(const Root& root, const std::string& mount, const TracerPlan& plan) {
  const TraceFolder top(root, mount);
  // In the top-level tracer, events and functions would disturb others.
  auto guard = plan.fits_instance() ? TracerGuard::make_instance(top, instance_name(), option_files(plan))
                                    : TracerGuard::save(SavedTracer::take(top, touched_files(plan)), plan.tracer);
  if (!guard) return std::unexpected(std::move(guard.error()));
  const TraceFolder folder = guard->instance().value_or(top);
  TracerSession session(top, folder, std::move(*guard));
  PEREGRINE_TRY(apply_plan(plan, top, folder));
  session.guard_.note_settings();
  auto pipe = session.folder_.open_pipe();
  if (!pipe) return std::unexpected(std::move(pipe.error()));
  session.pipe_ = std::move(*pipe);
  return session;
}

Result<bool> TracerSession::read(std::string& out) {
  std::array<char, 65536> buffer;
  const ssize_t count = ::read(pipe_.get(), buffer.data(), buffer.size());
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return false;
  if (count < 0) return fail(ErrorKind::System, "{}/trace_pipe: {}", folder_.path(), std::strerror(errno));
  out.append(buffer.data(), static_cast<std::size_t>(count));
  return count != 0;
}

std::vector<std::string> TracerSession::end() {
  pipe_.reset();
  return guard_.undo();
}

}  // namespace peregrine
