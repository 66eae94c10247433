#include "session/probe/probe_plan.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <expected>
#include <iterator>
#include <map>
#include <utility>

#include "base/build_id.h"
#include "base/judged_file.h"
#include "base/nearest.h"
#include "base/result.h"
#include "probe/definition/definition.h"
#include "probe/definition/trace_probe.h"
#include "probe/kernel_probes.h"
#include "probe/program_probes.h"
#include "probe/registry/probe_cache.h"
#include "probe/registry/sdt_note.h"
#include "session/probe/probe_request.h"
#include "session/probe/probed_files.h"
#include "symbol/lookup/build_id_cache.h"
#include "symbol/lookup/debug_file.h"
#include "sys/root.h"

namespace peregrine {

namespace {

constexpr unsigned kMostSuffixes = 1024;

// The definition as written, for people: "work:6 in /bin/x with n name=o->name:string".
std::string described(const ProbeDefinition& definition, const TraceProbe& probe) {
  std::string text = definition.is_marker ? '%' + probe.event : definition.place.text();
  if (!definition.place.file.empty() && definition.place.pattern.empty() && definition.place.function.empty())
    text = '@' + text.substr(text.starts_with('@') ? 1 : 0);
  if (!probe.target.empty()) text += " in " + probe.target;
  std::string arguments;
  for (const ProbeArgument& argument : definition.arguments) {
    std::string name = argument.name;
    for (auto step = argument.fields.rbegin(); name.empty() && step != argument.fields.rend(); ++step)
      if (!step->index) name = step->name;
    arguments += ' ';
    if (!name.empty()) arguments += name + '=';
    arguments += argument.text();
  }
  return arguments.empty() ? text : text + " with" + arguments;
}

// "work", or "work_1" if "work" is taken.
bool has_name_of(const TraceProbe& other, const TraceProbe& probe) {
  if (!other.event.starts_with(probe.event)) return false;
  const std::string_view rest = std::string_view(other.event).substr(probe.event.size());
  return rest.empty() ||
         (rest.size() > 1 && rest[0] == '_' && rest.find_first_not_of("0123456789", 1) == std::string_view::npos);
}

// Whether the place or the arguments require debug information.
bool needs_information(const ProbeDefinition& definition) {
  const ProbePlace& place = definition.place;
  const bool inside = (place.has_line && place.line != 0) || !place.pattern.empty() || !place.file.empty();
  const auto wants = [](const ProbeArgument& one) { return one.is_variable(); };
  return inside || (place.offset != 0 && std::ranges::any_of(definition.arguments, wants));
}

}  // namespace

Result<> ProbePlan::plan(std::string_view text) {
  auto definition = parse_probe(text);
  if (!definition) return std::unexpected(std::move(definition.error()));
  if (definition->is_marker) return plan_marker(std::move(*definition));
  if (request_.program.empty()) return plan_kernel(std::move(*definition));
  if (!program_) {
    auto program = open_probe_program(request_, home_);
    if (!program) return std::unexpected(std::move(program.error()));
    program_ = std::move(*program);
  }
  auto made = make_program_probes(*definition, *program_, probe_wishes(request_));
  if (!made) return std::unexpected(std::move(made.error()));
  if (!request_.quiet)
    for (const std::string& note : made->notes) listener_.note(note);
  if (request_.cache && !request_.dry_run) PEREGRINE_TRY(keep(*definition, *made, text));
  planned_.push_back({std::move(*definition), std::move(*made)});
  return {};
}

Result<> ProbePlan::plan_kernel(ProbeDefinition definition) {
  const ProbeWishes wishes = probe_wishes(request_, true);
  // Uses debug information if it is needed or was named; otherwise the kernel's own lookups.
  const bool named = !request_.vmlinux.empty() || request_.module.find('/') != std::string::npos;
  if (named || needs_information(definition)) {
    auto image = open_kernel_image(request_, definition.place.function, home_);
    if (!image) return std::unexpected(std::move(image.error()));
    auto made = make_program_probes(definition, **image, wishes);
    if (!made) return std::unexpected(std::move(made.error()));
    planned_.push_back({std::move(definition), std::move(*made)});
    return {};
  }
  if (!kernel_) kernel_ = probed_kernel();
  auto made = make_kernel_probes(definition, request_.module, *kernel_, wishes);
  if (!made) return std::unexpected(std::move(made.error()));
  for (const std::string& note : made->notes) listener_.note(note);
  planned_.push_back({std::move(definition), std::move(*made)});
  return {};
}

// A marker of the given program, or one in the build-id cache.
Result<> ProbePlan::plan_marker(ProbeDefinition definition) {
  MadeProbes made;
  std::vector<std::string> names;
  const std::string group = definition.group.empty() ? "*" : definition.group;
  const auto offer = [&](const TraceProbe& probe) {
    names.push_back(probe.name());
    if (::fnmatch(definition.event.c_str(), probe.event.c_str(), 0) != 0) return;
    if (::fnmatch(group.c_str(), probe.group.c_str(), 0) != 0) return;
    made.probes.push_back(probe);
  };
  std::string where = "the build-id cache";
  if (!request_.program.empty()) {
    auto program = open_probe_program(request_, home_);
    if (!program) return std::unexpected(std::move(program.error()));
    where = (*program)->path();
    for (const SdtNote& note : read_sdt_notes((*program)->file()))
      if (const auto probe = sdt_probe(note, (*program)->file(), where)) offer(*probe);
  }
  if (made.probes.empty()) {
    for (const CachedProgram& program : read_probe_cache(home_.build_ids))
      for (const CachedProbe& entry : program.entries)
        if (request_.program.empty() || program.path == where)
          for (const TraceProbe& probe : entry.probes) offer(probe);
  }
  if (made.probes.empty()) return no_marker(definition, where, names);
  for (const TraceProbe& probe : made.probes) PEREGRINE_TRY(probe.check());
  planned_.push_back({std::move(definition), std::move(made)});
  return {};
}

Result<std::vector<TraceProbe>> ProbePlan::named(ExistingProbes existing) {
  auto events = ProbeEvents::open(Root());
  if (!events) return std::unexpected(std::move(events.error()));
  if (existing == ExistingProbes::Use) PEREGRINE_TRY(leave_out_existing(*events));
  std::vector<TraceProbe> probes;
  for (PlannedProbe& planned : planned_) {
    PEREGRINE_TRY(choose_names(planned, *events));
    std::ranges::move(planned.made.probes, std::back_inserter(probes));
  }
  return probes;
}

std::vector<TraceProbe> ProbePlan::take_probes() {
  std::vector<TraceProbe> probes;
  for (PlannedProbe& planned : planned_) std::ranges::move(planned.made.probes, std::back_inserter(probes));
  return probes;
}

Result<> ProbePlan::add() {
  auto events = ProbeEvents::open(Root());
  if (!events) return std::unexpected(std::move(events.error()));
  for (const PlannedProbe& planned : planned_)
    for (const TraceProbe& probe : planned.made.probes) PEREGRINE_TRY(events->check(probe.is_user()));
  for (PlannedProbe& planned : planned_) PEREGRINE_TRY(choose_names(planned, *events));
  if (!request_.dry_run) PEREGRINE_TRY(write(*events));
  if (!request_.quiet) report();
  return {};
}

std::unexpected<Error> ProbePlan::no_marker(const ProbeDefinition& definition, const std::string& where,
                                            const std::vector<std::string>& names) const {
  const std::string wanted = definition.group.empty() ? definition.event : definition.group + ':' + definition.event;
  const bool in_program = !request_.program.empty();
  Error error{ErrorKind::NotFound, in_program ? fmt::format("no marker {} in {}", wanted, where)
                                              : fmt::format("no marker {} in {}", wanted, where)};
  const std::vector<std::string_view> views(names.begin(), names.end());
  if (const auto near = nearest(wanted, views))
    error.hint = fmt::format("did you mean %{}?", *near);
  else if (in_program)
    error.hint = fmt::format("list the program's markers with `readelf -n {}`", where);
  else
    error.hint =
        fmt::format("pass the program with -x, or add it once: {} buildid-cache --add PROGRAM", home_.program_name);
  return std::unexpected(std::move(error));
}

// --cache: stored under its event's name, with the program in the build-id cache.
Result<> ProbePlan::keep(const ProbeDefinition& definition, const MadeProbes& made, std::string_view text) const {
  const BuildId id = program_->file().build_id();
  const BuildIdCache cache(home_.build_ids);
  if (!id) return fail(ErrorKind::Unsupported, "{} has no build-id, which the probe cache requires", program_->path());
  PEREGRINE_TRY(cache.add_file(id, program_->path(), program_->path()));
  CachedProgram program{program_->path(), id.hex(), build_id_cache_path(cache.folder(), id, "probes"), {}};
  if (const auto known = read_regular_file(program.file)) program.entries = parse_cached_probes(*known);
  const TraceProbe& first = made.probes.front();
  std::erase_if(program.entries,
                [&](const CachedProbe& one) { return one.group == first.group && one.event == first.event; });
  const std::size_t equals = definition.event.empty() ? std::string_view::npos : text.find('=');
  const std::string_view words = equals == std::string_view::npos ? text : text.substr(equals + 1);
  program.entries.push_back({.is_marker = false,
                             .group = first.group,
                             .event = first.event,
                             .definition = std::string(words),
                             .probes = made.probes});
  return write_cached_probes(program);
}

// Includes probes that were renamed to NAME_1 because their name was taken.
Result<> ProbePlan::leave_out_existing(const ProbeEvents& events) {
  const auto present = events.list();
  if (!present) return std::unexpected(present.error());
  for (PlannedProbe& planned : planned_)
    std::erase_if(planned.made.probes, [&](const TraceProbe& probe) {
      return std::ranges::any_of(*present, [&](const TraceProbe& other) {
        return has_name_of(other, probe) && other.group == probe.group && other.place() == probe.place();
      });
    });
  return {};
}

// All probes of one definition with the same name remain one event.
Result<> ProbePlan::choose_names(PlannedProbe& planned, const ProbeEvents& events) {
  std::map<std::string, std::string> chosen;
  for (TraceProbe& probe : planned.made.probes) {
    const auto [name, added] = chosen.try_emplace(probe.name(), probe.event);
    if (added) {
      const auto taken = [&](const std::string& event) {
        return events.knows_name(probe.group, event) || taken_.contains(probe.group + ':' + event);
      };
      if (taken(probe.event) && !request_.force) return exists(probe);
      for (unsigned i = 1; taken(name->second) && i < kMostSuffixes; ++i)
        name->second = fmt::format("{}_{}", probe.event, i);
    }
    probe.event = name->second;
  }
  for (const TraceProbe& probe : planned.made.probes) taken_.insert(probe.name());
  return {};
}

std::unexpected<Error> ProbePlan::exists(const TraceProbe& probe) const {
  Error error{ErrorKind::Usage, fmt::format("event \"{}\" already exists.", probe.event),
              fmt::format("remove it with '{0} probe -d {1}', choose another name (NAME={2}), or add another with -f",
                          home_.program_name, probe.name(), probe.event)};
  error.system_errno = EEXIST;
  return std::unexpected(std::move(error));
}

// Adds all or none.
Result<> ProbePlan::write(const ProbeEvents& events) const {
  std::vector<const TraceProbe*> done;
  for (const PlannedProbe& planned : planned_) {
    for (const TraceProbe& probe : planned.made.probes) {
      if (request_.verbose > 0) listener_.verbatim(fmt::format("Writing event: {}\n", probe.format()));
      auto added = events.add(probe);
      if (added) {
        done.push_back(&probe);
        continue;
      }
      std::set<std::string> removed;
      for (const TraceProbe* one : done)
        if (removed.insert(one->name()).second) static_cast<void>(events.remove(*one));
      return std::unexpected(std::move(added.error()));
    }
  }
  return {};
}

void ProbePlan::report() const {
  std::string text;
  std::size_t count = 0;
  std::string last;
  for (const PlannedProbe& planned : planned_) {
    for (const TraceProbe& probe : planned.made.probes) {
      if (request_.dry_run && request_.verbose > 0) text += fmt::format("Writing event: {}\n", probe.format());
    }
  }
  std::string lines;
  for (const PlannedProbe& planned : planned_) {
    for (const TraceProbe& probe : planned.made.probes) {
      lines += fmt::format("  {:<20} (on {})\n", probe.name(), described(planned.definition, probe));
      last = probe.name();
      ++count;
    }
  }
  text += fmt::format("{} new event{}:\n{}", request_.dry_run ? "Would add" : "Added", count == 1 ? "" : "s", lines);
  if (!request_.dry_run)
    text += fmt::format("\nYou can now use it in all perf tools, such as:\n\n\t{} record -e {} -aR sleep 1\n\n",
                        home_.program_name, last);
  listener_.verbatim(text);
}

Result<std::vector<TraceProbe>> plan_temporary_probes(const std::vector<std::string>& definitions,
                                                      const std::string& command, const ProbeHome& home,
                                                      ExistingProbes existing, SessionListener& listener) {
  ProbeRequest in_program, in_kernel;
  in_program.program = command;
  in_program.force = in_kernel.force = true;
  std::vector<TraceProbe> probes;
  for (const std::string& definition : definitions) {
    ProbePlan program(in_program, home, listener), kernel(in_kernel, home, listener);
    Result<> planned = fail(ErrorKind::NotFound, "");
    if (!command.empty()) planned = program.plan(definition);
    const bool elsewhere = !planned && planned.error().kind == ErrorKind::NotFound;
    const bool found = elsewhere && kernel.plan(definition).has_value();
    if (!planned && !found && !command.empty()) return std::unexpected(std::move(planned.error()));
    if (command.empty() && !found) return std::unexpected(std::move(kernel.plan(definition).error()));
    auto named = (found ? kernel : program).named(existing);
    if (!named) return named;
    std::ranges::move(*named, std::back_inserter(probes));
  }
  return probes;
}

}  // namespace peregrine
