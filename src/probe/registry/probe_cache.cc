#include "probe/registry/probe_cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

#include "base/file/replace_file.h"
#include "base/judged_file.h"
#include "probe/registry/sdt_note.h"
#include "sys/root.h"

namespace peregrine {

std::vector<CachedProbe> parse_cached_probes(std::string_view text) {
  std::vector<CachedProbe> entries;
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.starts_with('%') || line.starts_with('#')) {
      const std::size_t equals = line.find('='), colon = line.find(':');
      if (equals == std::string_view::npos || colon > equals) continue;
      entries.push_back({.is_marker = line.front() == '%',
                         .group = std::string(line.substr(1, colon - 1)),
                         .event = std::string(line.substr(colon + 1, equals - colon - 1)),
                         .definition = std::string(line.substr(equals + 1)),
                         .probes = {}});
    } else if (!entries.empty()) {
      if (auto probe = TraceProbe::parse(line)) entries.back().probes.push_back(std::move(*probe));
    }
  }
  return entries;
}

std::string format_cached_probes(const std::vector<CachedProbe>& entries) {
  std::string text;
  for (const CachedProbe& entry : entries) {
    text += fmt::format("{}{}:{}={}\n", entry.is_marker ? '%' : '#', entry.group, entry.event, entry.definition);
    for (const TraceProbe& probe : entry.probes) text += probe.format() + '\n';
  }
  return text;
}

std::vector<CachedProgram> read_probe_cache(const std::string& cache) {
  const Root root;
  std::vector<CachedProgram> programs;
  const std::string links = cache + "/.build-id";
  for (const std::string& first : root.sorted_names(links)) {
    for (const std::string& rest : root.sorted_names(links + '/' + first)) {
      const std::string link = fmt::format("{}/{}/{}", links, first, rest);
      const auto text = root.read(link + "/probes");
      if (!text || text->empty()) continue;
      // The link is "../../usr/bin/true/ID"; drop "../" and ID.
      std::string path = root.link(link).value_or("");
      while (path.starts_with("../")) path.erase(0, 3);
      path = path.substr(0, path.rfind('/'));
      if (!path.starts_with('[')) path.insert(0, "/");
      CachedProgram program{std::move(path), first + rest, link + "/probes", parse_cached_probes(*text)};
      if (!program.entries.empty()) programs.push_back(std::move(program));
    }
  }
  std::ranges::stable_sort(programs, {}, &CachedProgram::path);
  return programs;
}

Result<> cache_markers(const std::string& probes_file, const ElfFile& file, const std::string& path) {
  CachedProgram program{path, {}, probes_file, {}};
  for (const SdtNote& note : read_sdt_notes(file)) {
    auto probe = sdt_probe(note, file, path);
    if (!probe || !probe->check()) continue;
    const auto same = std::ranges::find_if(program.entries, [&](const CachedProbe& entry) {
      return entry.group == probe->group && entry.event == probe->event;
    });
    if (same != program.entries.end()) {
      same->probes.push_back(std::move(*probe));
      continue;
    }
    program.entries.push_back({.is_marker = true,
                               .group = probe->group,
                               .event = probe->event,
                               .definition = probe->event,
                               .probes = {*probe}});
  }
  if (program.entries.empty()) return {};
  if (const auto known = read_regular_file(probes_file))
    for (CachedProbe& entry : parse_cached_probes(*known))
      if (!entry.is_marker) program.entries.push_back(std::move(entry));
  return write_cached_probes(program);
}

Result<> write_cached_probes(const CachedProgram& program) {
  const std::string text = format_cached_probes(program.entries);
  constexpr unsigned kMode = 0600;
  return replace_file(program.file, text, kMode);
}

}  // namespace peregrine
