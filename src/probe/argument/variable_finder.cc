#include "probe/argument/variable_finder.h"

#include <fmt/format.h>

#include <algorithm>
#include <expected>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/nearest.h"
#include "base/result.h"
#include "base/types.h"
#include "probe/argument/dwarf_location.h"
#include "probe/argument/fetch.h"
#include "probe/definition/definition.h"
#include "probe/definition/trace_probe.h"
#include "probe/type/dwarf_types.h"
#include "probe/type/type_source.h"
#include "symbol/dwarf/debug_entries.h"
#include "symbol/dwarf/dwarf_constants.h"
#include "symbol/dwarf/dwarf_unit.h"
#include "symbol/expression/variable_location.h"
#include "symbol/table/demangle.h"

namespace peregrine {
namespace {

bool is_variable(DwarfTag tag) { return tag == DwarfTag::Variable || tag == DwarfTag::FormalParameter; }

bool has_place(DebugEntry variable) {
  return variable.own(DwarfAttribute::Location) || variable.has(DwarfAttribute::ConstantValue);
}

// For messages: includes the parameters, which distinguish overloaded functions.
std::string readable_symbol(const ProbePoint& point) { return demangle(point.symbol, DemangleDetail::Parameters); }

std::string readable_place(const ProbePoint& point) {
  return fmt::format("{}+{}", readable_symbol(point), point.offset());
}

}  // namespace

// The variables in scope at the address (of the function and its enclosing blocks), in order of declaration.
std::vector<DebugEntry> VariableFinder::visible(const ProbePoint& point, Depth depth) const {
  std::vector<DebugEntry> found;
  const std::function<void(DebugEntry)> walk = [&](DebugEntry scope) {
    for (const DebugEntry child : scope.children()) {
      const DwarfTag tag = child.tag();
      if (is_variable(tag)) found.push_back(child);
      const bool below = (tag == DwarfTag::LexicalBlock && depth >= Depth::Blocks) ||
                         (tag == DwarfTag::InlinedSubroutine && depth == Depth::Inlined);
      if (below && child.covers(point.address)) walk(child);
    }
  };
  walk(point.scope);
  return found;
}

// The innermost declaration hides outer ones. Variables of functions inlined at this address come last, so they hide
// none.
DebugEntry VariableFinder::find(const std::string& name, const ProbePoint& point) const {
  DebugEntry without_place;
  for (const Depth depth : {Depth::Blocks, Depth::Inlined}) {
    const std::vector<DebugEntry> all = visible(point, depth);
    for (auto variable = all.rbegin(); variable != all.rend(); ++variable) {
      if (variable->name() != name) continue;
      if (has_place(*variable)) return *variable;
      without_place = *variable;
    }
  }
  return without_place;
}

DebugEntry VariableFinder::find_global(const std::string& name, const EntryUnit& unit) const {
  const std::function<DebugEntry(DebugEntry)> walk = [&](DebugEntry scope) -> DebugEntry {
    for (const DebugEntry child : scope.children()) {
      if (child.tag() == DwarfTag::Variable && child.name() == name && has_place(child)) return child;
      if (child.tag() == DwarfTag::Namespace)
        if (const DebugEntry found = walk(child)) return found;
    }
    return {};
  };
  return walk(unit.root());
}

Result<VariablePlace> VariableFinder::place(DebugEntry variable, const ProbePoint& point) const {
  if (const auto constant = variable.own(DwarfAttribute::ConstantValue); constant && constant->is_constant()) {
    i64 value = static_cast<i64>(constant->number);
    if (constant->form == DwarfForm::Data1 || constant->form == DwarfForm::Data2 ||
        constant->form == DwarfForm::Data4) {
      const TypeShape shape = DwarfTypes(variable.unit()).shape(DwarfTypes::ref(variable.type()));
      const int unused = constant->form == DwarfForm::Data1 ? 56 : constant->form == DwarfForm::Data2 ? 48 : 32;
      if (shape.is_signed) value = static_cast<i64>(constant->number << unused) >> unused;
    }
    return constant_place(value);
  }
  const DwarfUnit& unit = variable.unit().dwarf();
  const auto expression = variable.expression(DwarfAttribute::Location, point.address);
  if (!expression) return fail(ErrorKind::NotFound, "it is optimized out here");
  LocationContext context = unit.location_context();
  context.frame_base = point.function.expression(DwarfAttribute::FrameBase, point.address);
  context.at_entry = point.address == point.entry;
  ProbedCode code{.machine = runtime_.machine(), .frames = &frames_, .address = point.address};
  // The kernel takes file offsets, and resolves them relative to the segment that holds the probe.
  if (const auto offset = runtime_.file_offset(point.address))
    code.memory_bias = static_cast<i64>(*offset) - static_cast<i64>(point.address);
  if (abilities_.kernel_probe) {
    code.memory_bias = 0;
    code.memory_base = "@";
  }
  auto place = place_variable(*expression, std::move(context), code);
  // KASLR moves the kernel at boot, so its variables are given by name instead of by address.
  if (place && abilities_.kernel_probe && place->base == "@" && !place->dereferences.empty()) {
    place->base += variable.name();
    place->dereferences.front() = 0;
  }
  return place;
}

Error VariableFinder::not_there(const std::string& name, const ProbePoint& point) const {
  Error error{ErrorKind::NotFound, fmt::format("no variable '{}' at {}", name, readable_place(point))};
  std::vector<std::string> names;
  for (const DebugEntry variable : visible(point, Depth::Inlined))
    if (!variable.name().empty() && place(variable, point)) names.emplace_back(variable.name());
  const std::vector<std::string_view> views(names.begin(), names.end());
  if (const auto near = nearest(name, views))
    error.hint = fmt::format("did you mean '{}'?", *near);
  else if (names.empty())
    error.hint = "no variable in scope can be fetched";
  else
    error.hint = names.size() == 1 ? fmt::format("the only variable in scope is {}", names.front())
                                   : fmt::format("variables in scope: {}", fmt::join(names, ", "));
  return error;
}

Result<TraceArgument> VariableFinder::fetch(const ProbeArgument& argument, const ProbePoint& point) const {
  DebugEntry variable = find(argument.variable, point);
  if (!variable) variable = find_global(argument.variable, point.function.unit());
  if (!variable) {
    information_.each_unit([&](const EntryUnit& unit) {
      variable = find_global(argument.variable, unit);
      return variable ? DebugInformation::Visit::KeepAndStop : DebugInformation::Visit::Drop;
    });
  }
  if (!variable) return std::unexpected(not_there(argument.variable, point));
  auto where = place(variable, point);
  if (!where) {
    Error error = std::move(where.error());
    error.message =
        fmt::format("'{}' cannot be fetched at {}: {}", argument.variable, readable_place(point), error.message);
    const std::string ranges = ranges_text(variable, point, Ranges::Fetchable);
    error.kind = ErrorKind::NotFound;
    if (!ranges.empty()) error.hint = fmt::format("it can be fetched at {}", ranges);
    return std::unexpected(std::move(error));
  }
  const DwarfTypes types(variable.unit());
  return fetch_variable(argument, std::move(*where), DwarfTypes::ref(variable.type()), types, abilities_);
}

std::vector<ProbeArgument> VariableFinder::expand(const ProbeArgument& argument, const ProbePoint& point) const {
  const bool all = argument.variable == "$vars";
  std::vector<ProbeArgument> result;
  for (const DebugEntry variable : visible(point, all ? Depth::Inlined : Depth::Scope)) {
    if (variable.name().empty() || (!all && variable.tag() != DwarfTag::FormalParameter)) continue;
    if (!place(variable, point)) continue;
    ProbeArgument one;
    one.variable = variable.name();
    one.type = argument.type;
    one.user = argument.user;
    result.push_back(std::move(one));
  }
  return result;
}

std::string VariableFinder::return_type(const ProbePoint& point) const {
  const DwarfTypes types(point.function.unit());
  const TypeShape shape = types.shape(DwarfTypes::ref(point.function.type()));
  if (!shape.size || *shape.size == 0 || *shape.size > 8 || (*shape.size & (*shape.size - 1)) != 0) return {};
  return fmt::format("{}{}", shape.is_signed ? 's' : 'x', *shape.size * 8);
}

std::string VariableFinder::ranges_text(DebugEntry variable, const ProbePoint& point, Ranges which) const {
  std::vector<std::string> parts;
  const std::vector<AddressRange> own = point.function.ranges();
  if (own.empty()) return {};
  for (const AddressRange& range : variable.expression_ranges(DwarfAttribute::Location)) {
    const u64 begin = std::max(range.begin, own.front().begin), end = std::min(range.end, own.back().end);
    ProbePoint there = point;
    there.address = begin;
    if (begin >= end || (which == Ranges::Fetchable && !place(variable, there))) continue;
    parts.push_back(fmt::format("{}-{}", begin - point.entry, end - point.entry));
  }
  if (parts.empty()) return {};
  const std::string symbol = which == Ranges::Fetchable ? readable_symbol(point) : point.symbol;
  return fmt::format("<{}+[{}]>", symbol, fmt::join(parts, ","));
}

std::set<ShownVariable> VariableFinder::shown(const ProbePoint& point, const Show& show) const {
  std::set<ShownVariable> rows;
  const auto add = [&](DebugEntry variable, bool external) {
    if (variable.name().empty()) return;
    const bool available = place(variable, point).has_value();
    if (!available && !show.ranges) return;
    ShownVariable row{.type = DwarfTypes(variable.unit()).text(DwarfTypes::ref(variable.type())),
                      .name = std::string(variable.name()),
                      .ranges = {},
                      .external = external,
                      .available = available};
    if (show.ranges && !external) row.ranges = ranges_text(variable, point, Ranges::All);
    if (available || !row.ranges.empty()) rows.insert(std::move(row));
  };
  for (const DebugEntry variable : visible(point, Depth::Inlined)) add(variable, false);
  if (show.externals)
    for (const DebugEntry child : point.function.unit().root().children())
      if (child.tag() == DwarfTag::Variable && has_place(child)) add(child, true);
  return rows;
}

}  // namespace peregrine
