#include "probe/program_probes.h"

#include <elf.h>
#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <expected>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/nearest.h"
#include "base/result.h"
#include "base/types.h"
#include "probe/argument/argument_gaps.h"
#include "probe/argument/fetch.h"
#include "probe/argument/variable_finder.h"
#include "probe/code_check.h"
#include "probe/definition/definition.h"
#include "probe/point/line_walk.h"
#include "probe/point/source_text.h"
#include "symbol/cfi/cfi_table.h"
#include "symbol/cfi/compile_cfi.h"
#include "symbol/dwarf/debug_entries.h"
#include "symbol/dwarf/source_lines.h"
#include "symbol/elf/elf_aliases.h"
#include "symbol/elf/elf_file.h"
#include "symbol/lookup/symbol_files.h"
#include "symbol/lookup/symbol_source.h"
#include "symbol/table/demangle.h"

namespace peregrine {
namespace {

std::vector<std::string> symbol_names(const SymbolTable& symbols) {
  std::vector<std::string> names;
  for (u32 i = 0; i < symbols.size(); ++i) {
    const Symbol symbol = symbols.at(SymbolIndex(i));
    if (symbol.type != SymbolType::Object && !symbol.name.ends_with("@plt")) names.push_back(symbol.name);
  }
  return names;
}

class ProgramProbeMaker {
 public:
  ProgramProbeMaker(const ProbeDefinition& definition, ProbeProgram& program, const ProbeWishes& wishes)
      : definition_(definition), program_(program), wishes_(wishes), sources_(wishes.source_folder) {
    for (const ProbeArgument& argument : definition.arguments)
      if (argument.is_variable() || argument.variable == "$vars" || argument.variable == "$params") ++variables_;
  }

  Result<MadeProbes> run() {
    const ProbePlace& place = definition_.place;
    if (place.address) return at_address(*place.address);
    const DebugInformation* information = program_.information();
    const bool needs_lines = place.has_line || !place.pattern.empty() || !place.file.empty();
    if (information != nullptr) {
      auto points = find_points(*information);
      if (points) return from_points(*information, *points);
      // The function has no debug information: fall back to symbols.
      if (needs_lines || program_.is_kernel() || points.error().kind != ErrorKind::NotFound)
        return std::unexpected(std::move(points.error()));
      auto made = from_symbols();
      if (!made) return std::unexpected(std::move(points.error()));
      return made;
    }
    if (needs_lines && !(place.has_line && place.line == 0)) return std::unexpected(Error(program_.no_information()));
    return from_symbols();
  }

 private:
  TraceProbe start(std::string_view function) const {
    TraceProbe probe;
    probe.is_return = definition_.place.is_return;
    const std::string_view path = program_.is_kernel() ? std::string_view() : std::string_view(program_.path());
    probe.group = definition_.group.empty() ? default_group(path) : definition_.group;
    probe.event = event_name_of(definition_, function);
    probe.target = program_.path();
    return probe;
  }

  Result<std::vector<ProbePoint>> find_points(const DebugInformation& information) {
    PointOptions options = wishes_.points;
    options.wants_variables = variables_ != 0;
    options.program = program_.is_kernel() ? program_.file().name() : program_.path();
    options.of_program = !program_.is_kernel();
    // Translating an alias through the symbol's address is cheap, while searching for a name that debug information
    // lacks reads all of it.
    if (const auto place = renamed(information); place && place->function != definition_.place.function) {
      auto found = PointFinder(information, sources_, options).find(*place);
      if (found) return found;
    }
    return PointFinder(information, sources_, options).find(definition_.place);
  }

  Result<MadeProbes> at_address(u64 address) {
    if (variables_ != 0) return no_variables();
    MadeProbes made;
    TraceProbe probe = start("");
    if (probe.event.empty()) probe.event = fmt::format("abs_{:x}", address);
    probe.offset = program_.file().file_offset(address).value_or(address);
    for (const ProbeArgument& argument : definition_.arguments) probe.arguments.push_back(fetch_as_written(argument));
    made.probes.push_back(std::move(probe));
    return made;
  }

  std::unexpected<Error> no_variables() {
    program_.information();
    Error error = program_.no_information();
    if (error.message.empty())
      error = Error{ErrorKind::NotFound,
                    fmt::format("'{}' has no debug information in {}, so its variables are unknown",
                                definition_.place.text(), program_.path()),
                    "fetch registers instead: %di, %si, … (x86-64 arguments: %di %si %dx %cx %r8 %r9)"};
    return std::unexpected(std::move(error));
  }

  Result<MadeProbes> from_symbols();
  Result<MadeProbes> from_alias();
  std::optional<ProbePlace> renamed(const DebugInformation& information) const;
  Result<MadeProbes> from_points(const DebugInformation& information, const std::vector<ProbePoint>& points);
  Result<TraceProbe> at_point(const VariableFinder& variables, const ProbePoint& point,
                              std::vector<std::optional<Error>>& missing) const;
  Error no_symbol() const;
  Result<> check_offset(const Symbol& symbol) const {
    const u64 size = symbol.end - symbol.start;
    if (symbol.end <= symbol.start || definition_.place.offset < size) return {};
    return std::unexpected(offset_beyond_end(symbol.name, size, definition_.place.offset));
  }
  void name_lines_apart(const std::vector<ProbePoint>& points, MadeProbes& made) const;

  const ProbeDefinition& definition_;
  ProbeProgram& program_;
  const ProbeWishes& wishes_;
  SourceFinder sources_;
  std::size_t variables_ = 0;
};

Error ProgramProbeMaker::no_symbol() const {
  Error error{ErrorKind::NotFound, fmt::format("no function '{}' in {}", definition_.place.function, program_.path())};
  if (program_.symbols().empty()) {
    error.hint = "the program is stripped: use an address instead (0x1234)";
    return error;
  }
  const std::vector<std::string> names = symbol_names(program_.symbols());
  const std::vector<std::string_view> views(names.begin(), names.end());
  if (const auto near = nearest(definition_.place.function, views))
    error.hint = fmt::format("did you mean '{}'?", *near);
  return error;
}

// Handles an alias that shares its address with a symbol that the table kept instead.
Result<MadeProbes> ProgramProbeMaker::from_alias() {
  const ProbePlace& place = definition_.place;
  MadeProbes made;
  for (const u64 address : find_function_addresses(program_.file(), place.function)) {
    const auto offset = program_.file().file_offset(address);
    if (!offset) continue;
    if (variables_ != 0) return no_variables();
    if (const auto symbol = program_.symbols().find(*offset); symbol && symbol->start == *offset)
      PEREGRINE_TRY(check_offset(*symbol));
    TraceProbe probe = start(place.function);
    probe.offset = *offset + place.offset;
    for (const ProbeArgument& argument : definition_.arguments) probe.arguments.push_back(fetch_as_written(argument));
    made.probes.push_back(std::move(probe));
  }
  if (made.probes.empty()) return std::unexpected(no_symbol());
  return made;
}

std::optional<ProbePlace> ProgramProbeMaker::renamed(const DebugInformation& information) const {
  // In relocatable modules sections overlap, so an address does not identify a function.
  const std::string& wanted = definition_.place.function;
  if (wanted.empty() || may_be_mangled(wanted) || program_.is_kernel()) return std::nullopt;
  const std::string name = debug_name(program_.file(), information, wanted);
  if (name.empty()) return std::nullopt;
  ProbePlace place = definition_.place;
  place.function = name;
  return place;
}

Result<MadeProbes> ProgramProbeMaker::from_symbols() {
  const std::string& wanted = definition_.place.function;
  const bool glob = wanted.find_first_of("*?[") != std::string::npos;
  const SymbolTable& symbols = program_.symbols();
  MadeProbes made;
  for (u32 i = 0; i < symbols.size(); ++i) {
    const Symbol symbol = symbols.at(SymbolIndex(i));
    if (symbol.type == SymbolType::Object || symbol.name.ends_with("@plt")) continue;
    const std::string_view plain = std::string_view(symbol.name).substr(0, symbol.name.find('@'));
    const bool hit = glob ? ::fnmatch(wanted.c_str(), symbol.name.c_str(), 0) == 0
                          : symbol.name == wanted || plain == wanted ||
                                (may_be_mangled(symbol.name) && demangle(symbol.name) == wanted);
    if (!hit) continue;
    if (variables_ != 0) return no_variables();
    if (made.probes.size() >= wishes_.points.most)
      return std::unexpected(Error{ErrorKind::Usage,
                                   fmt::format("'{}' matches more than {} places", wanted, wishes_.points.most),
                                   "raise the limit with --max-probes"});
    TraceProbe probe = start(glob ? plain : std::string_view(wanted));
    probe.offset = symbol.start + definition_.place.offset;
    const bool known = std::ranges::any_of(made.probes, [&](const TraceProbe& p) { return p.offset == probe.offset; });
    if (known) continue;
    PEREGRINE_TRY(check_offset(symbol));
    for (const ProbeArgument& argument : definition_.arguments) probe.arguments.push_back(fetch_as_written(argument));
    made.probes.push_back(std::move(probe));
  }
  if (made.probes.empty()) return from_alias();
  return made;
}

Result<TraceProbe> ProgramProbeMaker::at_point(const VariableFinder& variables, const ProbePoint& point,
                                               std::vector<std::optional<Error>>& missing) const {
  TraceProbe probe = start(point.name);
  const auto offset = program_.is_kernel() ? std::optional(point.offset()) : program_.file().file_offset(point.address);
  if (program_.is_kernel()) {
    // Use the kernel's name for it: compilers add suffixes.
    const auto symbol = program_.symbols().find(point.entry);
    probe.symbol = symbol && symbol->start == point.entry ? symbol->name : point.symbol;
  }
  if (!offset) return fail(ErrorKind::Malformed, "{}: no code is loaded at {:#x}", program_.path(), point.address);
  probe.offset = *offset;
  const auto take = [&](const ProbeArgument& argument) {
    if (!argument.is_variable()) {
      probe.arguments.push_back(fetch_as_written(argument));
      missing.emplace_back();
      return;
    }
    auto fetched = variables.fetch(argument, point);
    missing.emplace_back(fetched ? std::nullopt : std::optional(fetched.error()));
    probe.arguments.push_back(fetched ? std::move(*fetched) : TraceArgument{});
  };
  for (const ProbeArgument& argument : definition_.arguments) {
    if (argument.variable != "$vars" && argument.variable != "$params") {
      take(argument);
      continue;
    }
    std::set<std::string> seen;  // an inner block's variable hides an outer one of the same name
    for (const ProbeArgument& one : variables.expand(argument, point))
      if (!definition_.has_field(one.variable) && seen.insert(one.variable).second) take(one);
  }
  return probe;
}

// Lines that match one pattern become separate events, "work_L3" and "work_L7", unless the user named the event.
void ProgramProbeMaker::name_lines_apart(const std::vector<ProbePoint>& points, MadeProbes& made) const {
  if (definition_.place.pattern.empty() || !definition_.event.empty()) return;
  std::map<std::string, std::set<u32>> lines;
  for (std::size_t i = 0; i < points.size(); ++i) lines[made.probes[i].event].insert(points[i].matched_line);
  for (std::size_t i = 0; i < points.size(); ++i)
    if (lines.at(made.probes[i].event).size() > 1) made.probes[i].event += fmt::format("_L{}", points[i].matched_line);
}

Result<MadeProbes> ProgramProbeMaker::from_points(const DebugInformation& information,
                                                  const std::vector<ProbePoint>& points) {
  const VariableFinder variables(information, program_.file(), program_.frames(), wishes_.abilities);
  MadeProbes made;
  std::vector<bool> found;
  std::vector<std::optional<Error>> why;
  std::vector<std::string> left_out;
  for (const ProbePoint& point : points) {
    std::vector<std::optional<Error>> missing;
    auto probe = at_point(variables, point, missing);
    if (!probe) return std::unexpected(std::move(probe.error()));
    if (point.skipped_prologue && point.address != point.entry)
      made.notes.push_back(
          fmt::format("{} was compiled without optimization: the probe is at {:#x}, where its arguments are valid (the "
                      "function starts at {:#x})",
                      point.symbol, point.address, point.entry));
    found.resize(std::max(found.size(), missing.size()));
    why.resize(found.size());
    for (std::size_t i = 0; i < missing.size(); ++i) {
      if (!missing[i])
        found[i] = true;
      else {
        left_out.push_back(missing[i]->message);
        if (!why[i]) why[i] = std::move(missing[i]);
      }
    }
    made.probes.push_back(std::move(*probe));
  }
  for (std::size_t i = 0; i < found.size(); ++i)
    if (!found[i] && why[i]) return std::unexpected(std::move(*why[i]));
  name_lines_apart(points, made);
  fill_argument_gaps(made.probes);
  std::ranges::move(left_out, std::back_inserter(made.notes));
  return made;
}

}  // namespace

Result<std::unique_ptr<ProbeProgram>> ProbeProgram::open(const std::string& path, const DebugSearch& search) {
  auto file = ElfFile::open(search.root + path);
  if (!file) return std::unexpected(std::move(file.error()));
  return std::unique_ptr<ProbeProgram>(new ProbeProgram(path, std::move(*file), search));
}

Result<std::unique_ptr<ProbeProgram>> ProbeProgram::open_kernel(ElfFile file, const std::string& module) {
  OpenedFile again = open_candidate(file.name());
  auto information = DebugInformation::open(std::move(file));
  if (!information) return std::unexpected(std::move(information.error()));
  if (!again.file) return fail(ErrorKind::NotFound, "{}: {}", module, describe(again.miss));
  again.file->place_as_module();
  std::unique_ptr<ProbeProgram> program(new ProbeProgram(module, std::move(*again.file), {}));
  program->is_kernel_ = program->information_asked_ = program->symbols_asked_ = true;
  program->information_ = std::move(*information);
  if (auto symbols = load_elf_symbols(program->file_,
                                      program->file_.type() == ET_REL ? ElfAddresses::Module : ElfAddresses::Virtual))
    program->symbols_ = std::move(*symbols);
  return program;
}

const DebugInformation* ProbeProgram::information() {
  if (information_asked_) return information_.get();
  information_asked_ = true;
  auto debug = find_dso_file(path_, file_.build_id(), search_, DsoPart::DebugInfo);
  if (!debug) {
    no_information_ = std::move(debug.error());
    no_information_.kind = ErrorKind::NotFound;
    no_information_.hint = "compile it with -g, or install its debug package";
    return nullptr;
  }
  SourceSearch search{.dso_path = search_.symfs + path_, .symfs = search_.symfs, .debug_folder = search_.debug_folder};
  auto opened = DebugInformation::open(std::move(*debug), search);
  if (!opened) {
    no_information_ = std::move(opened.error());
    return nullptr;
  }
  information_ = std::move(*opened);
  return information_.get();
}

const CfiTable& ProbeProgram::frames() {
  if (!frames_) {
    const DebugInformation* known = information();
    frames_ = compile_cfi(file_, known == nullptr ? nullptr : &known->file());
  }
  return *frames_;
}

const SymbolTable& ProbeProgram::symbols() {
  if (!symbols_asked_) {
    symbols_asked_ = true;
    symbols_ = SymbolFiles::find(path_, file_.build_id(), search_).load();
  }
  return symbols_;
}

Result<MadeProbes> make_program_probes(const ProbeDefinition& definition, ProbeProgram& program,
                                       const ProbeWishes& wishes) {
  auto made = ProgramProbeMaker(definition, program, wishes).run();
  if (!made) return made;
  for (TraceProbe& probe : made->probes) {
    name_apart(probe.arguments);
    PEREGRINE_TRY(check_probe_line(probe));
  }
  if (program.is_kernel()) return made;  // the kernel checks its own probes
  if (definition.place.offset != 0 || definition.place.address)
    for (const TraceProbe& probe : made->probes) PEREGRINE_TRY(check_instruction_start(probe, program));
  if (definition.place.is_return && may_unwind(program.file()))
    made->notes.push_back(
        fmt::format("C++ exceptions and Rust panics through {} abort the program while its return probe is in use",
                    definition.place.function));
  return made;
}

std::string debug_name(const ElfFile& file, const DebugInformation& information, std::string_view symbol) {
  for (const u64 address : find_function_addresses(file, symbol)) {
    const EntryUnit* unit = information.unit_covering(address);
    const DebugEntry function = unit == nullptr ? DebugEntry() : function_at(*unit, address);
    if (function && function.entry_address() == address && !function.name().empty())
      return std::string(function.name());
  }
  return {};
}

std::string default_group(std::string_view path) {
  if (!path.starts_with('/')) return "probe";
  path.remove_prefix(path.rfind('/') + 1);
  std::string group = "probe_";
  for (const char c : path) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_') break;
    group += c;
  }
  return group;
}

std::string event_name_of(const ProbeDefinition& definition, std::string_view function) {
  if (definition.event.empty()) return default_event(definition.place, function);
  return definition.event + (definition.place.is_return ? "__return" : "");
}

std::string default_event(const ProbePlace& place, std::string_view function) {
  std::string_view base = is_c_name(place.function) ? std::string_view(place.function) : function;
  // Drops the suffixes of compilers and of symbol versions.
  const std::size_t dot = base.find_first_of(".@<");
  if (dot != 0) base = base.substr(0, dot);
  std::string event;
  for (const char c : base) event += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  if (!event.empty() && std::isdigit(static_cast<unsigned char>(event.front())) != 0) event.insert(0, "_");
  if (place.is_return) event += "__return";
  if (!place.function.empty() && place.has_line && place.line != 0) event += fmt::format("_L{}", place.line);
  return event;
}

}  // namespace peregrine
