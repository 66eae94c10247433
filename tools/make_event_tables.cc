// make_event_tables OUT.cc: writes libpfm4's data about the events of each processor as constant arrays, for
// src/event/vendor/event_table.h. Runs at build time, on the kind of machine that the program is built for: libpfm4 has
// the tables of one architecture.
//
// Each table is compressed. Instances of one kind of uncore PMU (cbo0, cbo1 …) are one table.
#include <perfmon/pfmlib.h>
#include <zstd.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace {

// Event, unit mask, edge, any thread, invert, counter mask, and AMD's upper event bits: the bits that a user may set.
// The rest of the register (user, kernel, enable, interrupt) belongs to the kernel.
constexpr std::uint64_t kChosen =
    0xffu | 0xff00u | 1u << 18 | 1u << 21 | 1u << 23 | 0xff000000u | std::uint64_t{0xf} << 32;

struct Entry {
  std::string name;  // the order of rows: event.umask, in lower case
  std::string other, text;
  std::uint64_t config = 0, extra = 0;
};

struct Table {
  std::string name;  // libpfm4's name of the PMU, without instance numbers
  bool uncore = false;
  std::vector<Entry> entries;
};

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

std::string without_instance(std::string name) {
  while (!name.empty() && std::isdigit(static_cast<unsigned char>(name.back())) != 0) name.pop_back();
  return name;
}

// One line, without control characters.
std::string tidy(const char* text) {
  std::string line;
  for (const char* at = text == nullptr ? "" : text; *at != '\0'; ++at) {
    const bool blank = std::isspace(static_cast<unsigned char>(*at)) != 0;
    if (!blank && std::iscntrl(static_cast<unsigned char>(*at)) != 0) continue;
    if (!blank || (!line.empty() && line.back() != ' ')) line += blank ? ' ' : *at;
  }
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

bool encode(const std::string& words, Entry& entry) {
  pfm_pmu_encode_arg_t argument{};
  argument.size = sizeof argument;
  const bool known = pfm_get_event_encoding(words.c_str(), PFM_PLM0 | PFM_PLM3, nullptr, nullptr, &argument.codes,
                                            &argument.count) == PFM_SUCCESS;
  const bool fits = known && argument.count >= 1 && argument.count <= 2;
  if (fits) {
    entry.config = argument.codes[0] & kChosen;
    entry.extra = argument.count == 2 ? argument.codes[1] : 0;
  }
  std::free(argument.codes);
  return fits;
}

void add_event(const pfm_pmu_info_t& pmu, const pfm_event_info_t& event, Table& table) {
  const std::string prefix = std::string(pmu.name) + "::";
  bool has_masks = false;
  for (int i = 0; i < event.nattrs; ++i) {
    pfm_event_attr_info_t mask{};
    mask.size = sizeof mask;
    if (pfm_get_event_attr_info(event.idx, i, PFM_OS_NONE, &mask) != PFM_SUCCESS || mask.type != PFM_ATTR_UMASK)
      continue;
    has_masks = true;
    Entry entry;
    entry.other = std::string(event.name) + ':' + mask.name;
    entry.name = lower(std::string(event.name) + '.' + mask.name);
    entry.text = tidy(event.desc) + ": " + tidy(mask.desc);
    if (encode(prefix + entry.other, entry)) table.entries.push_back(std::move(entry));
  }
  // An event with unit masks, one of which is the default, is also valid alone.
  Entry entry;
  entry.other = event.name;
  entry.name = lower(event.name);
  entry.text = tidy(event.desc);
  if (encode(prefix + entry.other, entry) || !has_masks) {
    if (!entry.other.empty() && (entry.config != 0 || has_masks)) table.entries.push_back(std::move(entry));
  }
}

Table read_table(const pfm_pmu_info_t& pmu) {
  Table table;
  table.uncore = pmu.type == PFM_PMU_TYPE_UNCORE;
  table.name = table.uncore ? without_instance(pmu.name) : pmu.name;
  int seen = 0;
  for (int event = pmu.first_event; event != -1 && seen < pmu.nevents; event = pfm_get_event_next(event), ++seen) {
    pfm_event_info_t one{};
    one.size = sizeof one;
    if (pfm_get_event_info(event, PFM_OS_NONE, &one) == PFM_SUCCESS) add_event(pmu, one, table);
  }
  std::ranges::sort(table.entries, {}, [](const Entry& e) { return std::tie(e.name, e.other); });
  return table;
}

void write_string(std::FILE* out, const std::string& bytes) {
  constexpr std::size_t kPerLine = 4000;
  for (std::size_t at = 0; at < bytes.size(); at += kPerLine) {
    std::fputc('"', out);
    for (const char c : bytes.substr(at, kPerLine)) {
      if (c == '"' || c == '\\' || c == '?')
        std::fprintf(out, "\\%c", c);
      else if (static_cast<unsigned char>(c) < ' ' || static_cast<unsigned char>(c) > '~')
        std::fprintf(out, "\\%03o", static_cast<unsigned char>(c));
      else
        std::fputc(c, out);
    }
    std::fputs("\"\n", out);
  }
}

// As event_table.h describes it.
std::string contents(const Table& table) {
  std::string bytes;
  const auto add_number = [&](std::uint64_t value) {
    for (unsigned shift = 0; shift < 64; shift += 8) bytes += static_cast<char>(value >> shift & 0xff);
  };
  for (const auto& entry : table.entries) add_number(entry.config);
  for (const auto& entry : table.entries) add_number(entry.extra);
  for (const auto& entry : table.entries) bytes += entry.other + '\0';
  for (const auto& entry : table.entries) bytes += entry.text + '\0';
  return bytes;
}

std::string compressed(const std::string& bytes) {
  std::string packed(ZSTD_compressBound(bytes.size()), '\0');
  const std::size_t size = ZSTD_compress(packed.data(), packed.size(), bytes.data(), bytes.size(), ZSTD_maxCLevel());
  packed.resize(ZSTD_isError(size) != 0 ? 0 : size);
  return packed;
}

void write(std::FILE* out, const std::vector<Table>& tables) {
  std::fputs(
      "// Made by tools/make_event_tables.cc from libpfm4's tables (MIT licence).\n"
      "#include \"event/vendor/event_table.h\"\nnamespace peregrine::event_table {\nconst Table kTables[] = {\n",
      out);
  std::string all;
  for (const auto& table : tables) {
    const std::string bytes = contents(table), packed = compressed(bytes);
    std::fprintf(out, "{\"%s\",%s,%zu,%zu,%zu,%zu},\n", table.name.c_str(), table.uncore ? "true" : "false",
                 table.entries.size(), all.size(), packed.size(), bytes.size());
    all += packed;
  }
  std::fprintf(out, "{nullptr,false,0,0,0,0}};\nconst std::size_t kTableCount = %zu;\nconst char kPacked[] =\n",
               tables.size());
  write_string(out, all);
  std::fputs(";\n}  // namespace peregrine::event_table\n", out);
}

}  // namespace

int main(int count, char** words) {
  if (count != 2) return 2;
  ::setenv("LIBPFM_ENCODE_INACTIVE", "1", 1);
  if (pfm_initialize() != PFM_SUCCESS) {
    std::fputs("make_event_tables: libpfm4 does not start\n", stderr);
    return 1;
  }
  std::vector<Table> tables;
  std::set<std::string> seen;
  for (int i = 0; i < PFM_PMU_MAX; ++i) {
    pfm_pmu_info_t pmu{};
    pmu.size = sizeof pmu;
    if (pfm_get_pmu_info(static_cast<pfm_pmu_t>(i), &pmu) != PFM_SUCCESS) continue;
    if (pmu.type != PFM_PMU_TYPE_CORE && pmu.type != PFM_PMU_TYPE_UNCORE) continue;
    const std::string name = pmu.type == PFM_PMU_TYPE_UNCORE ? without_instance(pmu.name) : pmu.name;
    if (!seen.insert(name).second) continue;
    Table table = read_table(pmu);
    if (!table.entries.empty()) tables.push_back(std::move(table));
  }
  std::FILE* out = std::fopen(words[1], "w");
  if (out == nullptr) return 1;
  write(out, tables);
  return std::fclose(out) == 0 ? 0 : 1;
}
