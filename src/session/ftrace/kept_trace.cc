#include "session/ftrace/kept_trace.h"

#include <fmt/format.h>
#include <sys/types.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <expected>
#include <string>
#include <utility>

#include "base/text/counted.h"
#include "capture/target/target.h"
#include "capture/tracer/trace_folder.h"
#include "capture/tracer/trace_mark.h"
#include "capture/tracer/tracer_plan.h"
#include "capture/tracer/tracer_status.h"
#include "output/text/format/grouped_number.h"
#include "session/ftrace/event_histogram.h"
#include "session/ftrace/tracer_settings.h"
#include "sys/root.h"

namespace peregrine {
namespace {

bool is_trace_name(std::string_view name) {
  constexpr std::string_view kAllowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
  constexpr std::size_t kLongest = 64;
  return name.size() <= kLongest && name.find_first_not_of(kAllowed) == std::string_view::npos &&
         kept_name_of(kept_instance_name(name)).has_value();
}

}  // namespace

Result<KeptTrace> KeptTrace::named(const Tracefs& tracefs, std::string_view name, SessionListener& listener) {
  if (!is_trace_name(name))
    return std::unexpected(Error{ErrorKind::Usage, fmt::format("--name: invalid name '{}'", name)}.with_hint(
        "use letters, digits, '_' and '-', with at least one letter"));
  TraceFolder top(Root(), tracefs.mount());
  TraceFolder folder(Root(), top.instance_path(kept_instance_name(name)));
  return KeptTrace(std::move(top), std::move(folder), std::string(name), listener);
}

Result<> KeptTrace::find() const {
  if (exists()) return {};
  return std::unexpected(Error{ErrorKind::NotFound, fmt::format("no trace '{}' was started", name_)}.with_hint(
      "`ftrace start -e EVENT` starts one; `ftrace status` lists them"));
}

Result<> KeptTrace::start(const FtraceRequest& request, const Tracefs& tracefs) const {
  if (!request.command.empty())
    return std::unexpected(
        Error{ErrorKind::Usage, fmt::format("unexpected argument '{}'", request.command.front())}.with_hint(
            "ftrace start takes no command: `ftrace events -e EVENT -- COMMAND` traces one"));
  if (exists() && !request.sets_anything()) return start_tracing(folder_, request.mark);
  if (exists())
    return std::unexpected(Error{ErrorKind::Usage, fmt::format("trace '{}' exists already", name_)}.with_hint(
        "without options, `ftrace start` continues it; `ftrace remove` removes it, --name NAME starts another one"));
  const bool events = !request.events.empty() || !request.triggers.empty() || !request.functions.empty();
  if (!events && request.tracer.empty())
    return std::unexpected(
        Error{ErrorKind::Usage, "nothing to trace"}.with_hint("name events: ftrace start -e 'sched:*'"));
  const auto target = make_target(Root(), request.target);
  if (!target) return std::unexpected(target.error());
  const auto plan = tracer_plan(request, *target, tracefs);
  if (!plan) return std::unexpected(plan.error());
  if (!plan->fits_instance())
    return std::unexpected(
        Error{ErrorKind::Usage, fmt::format("the tracer '{}' cannot be left running", plan->tracer)}.with_hint(
            "`ftrace start` traces events (-e) and functions (-T)"));
  if (!plan->options.empty())
    return std::unexpected(
        Error{ErrorKind::Usage, "--func-opts and --graph-opts cannot be used with `ftrace start`"}.with_hint(
            "the kernel shares options of tracers, and nobody would restore them: use `ftrace trace`"));
  const auto made = top_.make_instance(kept_instance_name(name_));
  if (!made) return std::unexpected(made.error());
  auto done = apply_plan(*plan, top_, folder_);
  if (done) done = start_tracing(folder_, request.mark);
  if (!done) [[maybe_unused]]
    const bool gone = folder_.remove();
  return done;
}

void KeptTrace::tell_size() const {
  const BufferFill fill = read_buffer_fill(folder_);
  listener_.note(fmt::format("{} in trace '{}'{}", counted(fill.entries, "entry", "entries"), name_,
                             fill.overrun == 0 ? std::string()
                                               : fmt::format("; {} older ones were overwritten (-m sets the size)",
                                                             grouped_number(fill.overrun))));
}

Result<> KeptTrace::stop() const {
  PEREGRINE_TRY(find());
  PEREGRINE_TRY(folder_.set("tracing_on", "0"));
  tell_size();
  return {};
}

Result<> KeptTrace::mark(std::string_view text) const {
  PEREGRINE_TRY(find());
  return write_mark(folder_, text);
}

Result<> KeptTrace::show(Sink& out) const {
  PEREGRINE_TRY(find());
  auto file = folder_.open("trace");
  if (!file) return std::unexpected(std::move(file.error()));
  std::array<char, 65536> buffer;
  for (;;) {
    const ssize_t count = ::read(file->get(), buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return fail(ErrorKind::System, "{}/trace: {}", folder_.path(), std::strerror(errno));
    if (count == 0) break;
    out.append(std::string_view(buffer.data(), static_cast<std::size_t>(count)));
    PEREGRINE_TRY(out.flush());
  }
  return print_event_histograms(folder_, read_triggers(folder_), out);
}

Result<> KeptTrace::remove() const {
  PEREGRINE_TRY(find());
  [[maybe_unused]] const auto off = folder_.set("tracing_on", "0");
  if (folder_.remove()) return {};
  return std::unexpected(
      Error{ErrorKind::System, fmt::format("cannot remove trace '{}': {}", name_, std::strerror(errno))}.with_hint(
          "another process reads it: `ftrace status` names it"));
}

}  // namespace peregrine
