#include "analysis/sharing/function_sharing.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "analysis/stat/run_stats.h"
#include "base/types.h"
#include "machine/resolver/resolver.h"

namespace peregrine {

namespace {

struct CodeOwner {
  u32 dso = 0;
  bool named = false;
  u64 place = 0;  // symbol index, or the address if there is no symbol
  auto operator<=>(const CodeOwner&) const = default;
};

CodeOwner owner_of(const SharingRow& row) {
  const Frame& frame = row.frame;
  if (frame.symbol) return {frame.dso.value, true, frame.symbol.value};
  return {frame.dso ? frame.dso.value : 0, false, frame.dso ? frame.address : row.code};
}

double cycles_of_loads(const SharingRow& row) {
  double cycles = 0;
  for (const RunStats* part : {&row.local_hitm, &row.remote_hitm, &row.local_peer, &row.remote_peer, &row.load})
    cycles += part->mean() * static_cast<double>(part->count());
  return cycles;
}

// One function's accesses to one cache line.
struct LineDeeds {
  double cycles = 0, longest = 0;
  u64 stores = 0, most_stores = 0;
  const SharingRow *reader = nullptr, *writer = nullptr;
  std::set<u32> cpus;

  void add(const SharingRow& row) {
    const double taken = cycles_of_loads(row);
    if (row.counts.loads != 0 && (reader == nullptr || taken > longest)) {
      reader = &row;
      longest = taken;
    }
    if (row.counts.stores > most_stores) {
      writer = &row;
      most_stores = row.counts.stores;
    }
    cycles += taken;
    stores += row.counts.stores;
    for (const auto& [cpu, counts] : row.cpus) cpus.insert(cpu);
  }
};

// Accumulated over cache lines.
struct WriterSum {
  ContendingWriter writer;
  u64 most_stores = 0;
};
struct FunctionSum {
  ContendedFunction function;
  double longest = 0;
  std::map<CodeOwner, WriterSum> writers;
};

void add_writer_pair(FunctionSum& sum, const CodeOwner& key, const LineDeeds& writer, const SharedLine& line) {
  WriterSum& to = sum.writers[key];
  if (writer.most_stores > to.most_stores) {
    to.writer.row = writer.writer;
    to.most_stores = writer.most_stores;
  }
  to.writer.stores += writer.stores;
  to.writer.lines.push_back({&line, writer.stores});
  sum.function.stores += writer.stores;
}

void add_contended_line(const SharedLine& line, std::map<CodeOwner, FunctionSum>& sums) {
  std::map<CodeOwner, LineDeeds> deeds;
  for (const SharingRow& row : line.rows) deeds[owner_of(row)].add(row);
  for (const auto& [reader_key, reader] : deeds) {
    if (reader.reader == nullptr) continue;
    bool contended = false;
    for (const auto& [writer_key, writer] : deeds) {
      const bool itself = writer_key == reader_key;
      if (writer.stores == 0 || (itself && reader.cpus.size() < 2)) continue;
      add_writer_pair(sums[reader_key], writer_key, writer, line);
      contended = true;
    }
    if (!contended) continue;
    FunctionSum& sum = sums[reader_key];
    sum.function.cycles += reader.cycles;
    if (sum.function.row == nullptr || reader.longest > sum.longest) {
      sum.function.row = reader.reader;
      sum.longest = reader.longest;
    }
  }
}

}  // namespace

std::vector<ContendedFunction> contended_functions(std::span<const SharedLine> lines) {
  std::map<CodeOwner, FunctionSum> sums;
  for (const SharedLine& line : lines) add_contended_line(line, sums);
  std::vector<ContendedFunction> functions;
  for (auto& [key, sum] : sums) {
    for (auto& [writer_key, writer] : sum.writers) {
      std::ranges::stable_sort(writer.writer.lines, std::greater<>(), &ContendedLine::stores);
      sum.function.writers.push_back(std::move(writer.writer));
    }
    std::ranges::stable_sort(sum.function.writers, std::greater<>(), &ContendingWriter::stores);
    functions.push_back(std::move(sum.function));
  }
  std::ranges::stable_sort(functions, std::greater<>(), &ContendedFunction::cycles);
  return functions;
}

}  // namespace peregrine
