#include "analysis/diff/block_comparison.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <tuple>
#include <utility>

#include "analysis/hist/key/face_table.h"
#include "analysis/hist/key/sort_key.h"
#include "analysis/hist/row/block_rows.h"
#include "base/percent.h"
#include "base/types.h"

namespace peregrine {
namespace {

using FunctionKey = std::pair<std::string, std::string>;          // dso, symbol
using BlockKey = std::tuple<std::string, std::string, u64, u64>;  // dso, symbol, begin and end offsets

std::map<FunctionKey, double> shares_of(const RowTable* functions) {
  std::map<FunctionKey, double> shares;
  if (functions == nullptr || functions->total_period() == 0) return shares;
  for (const Row& row : functions->rows()) {
    const FrameLook& look = functions->frame_look(row);
    if (!look.symbol.valid()) continue;
    const FaceTable& faces = functions->faces();
    shares[{std::string(faces.text(look.dso)), std::string(faces.text(look.symbol))}] +=
        percent_of(functions->sums(row).period, functions->total_period());
  }
  return shares;
}

void add_blocks(std::map<BlockKey, ComparedBlock>& blocks, const RowTable& table, std::size_t side, std::size_t sides) {
  const FaceTable& faces = table.faces();
  for (const Row& row : table.rows()) {
    const FrameLook& start = table.data_look(row, SortKey::AddressFrom);
    const FrameLook& end = table.data_look(row, SortKey::AddressTo);
    if (!start.symbol.valid() || !end.symbol.valid()) continue;
    const BlockKey key{std::string(faces.text(start.dso)), std::string(faces.text(start.symbol)),
                       start.address - start.start, end.address - end.start};
    ComparedBlock& block = blocks[key];
    if (block.sides.empty()) {
      block.sides.resize(sides);
      block.dso = std::get<0>(key);
      block.symbol = std::get<1>(key);
      block.level = start.level;
      block.start = block_end_text(faces, start);
      block.end = block_end_text(faces, end);
    }
    block.sides[side].add(table.group_value(row, SortKey::Cycles), table.sums(row).samples);
  }
}

}  // namespace

void CycleCounts::add(u64 cycles, u64 times) {
  const auto at = std::ranges::lower_bound(counts, cycles, {}, &std::pair<u64, u64>::first);
  if (at != counts.end() && at->first == cycles)
    at->second += times;
  else
    counts.insert(at, {cycles, times});
}

u64 CycleCounts::times() const {
  u64 sum = 0;
  for (const auto& [cycles, times] : counts) sum += times;
  return sum;
}

u64 CycleCounts::mean() const {
  u64 sum = 0;
  for (const auto& [cycles, times] : counts) sum += cycles * times;
  const u64 all = times();
  return all == 0 ? 0 : sum / all;
}

double CycleCounts::variance() const {
  const double all = static_cast<double>(times());
  if (all < 2) return 0;
  double sum = 0, squares = 0;
  for (const auto& [cycles, times] : counts) sum += static_cast<double>(cycles) * static_cast<double>(times);
  const double mean = sum / all;
  for (const auto& [cycles, times] : counts)
    squares += (static_cast<double>(cycles) - mean) * (static_cast<double>(cycles) - mean) * static_cast<double>(times);
  return squares / (all - 1);
}

i64 ComparedBlock::change(std::size_t side) const {
  return static_cast<i64>(sides[side].mean()) - static_cast<i64>(sides[0].mean());
}

double ComparedBlock::error(std::size_t side) const {
  if (!has(0) || !has(side) || change(side) == 0) return 0;
  const auto of_mean = [](const CycleCounts& counts) {
    return counts.variance() / static_cast<double>(counts.times());
  };
  return 100 * std::sqrt(of_mean(sides[0]) + of_mean(sides[side])) / std::abs(static_cast<double>(change(side)));
}

std::vector<ComparedBlock> compare_blocks(std::span<const BlockSide> sides, std::size_t order) {
  std::map<BlockKey, ComparedBlock> blocks;
  for (std::size_t side = 0; side < sides.size(); ++side)
    if (sides[side].blocks != nullptr) add_blocks(blocks, *sides[side].blocks, side, sides.size());
  const std::map<FunctionKey, double> shares = shares_of(sides[0].functions);
  std::vector<ComparedBlock> result;
  for (auto& [key, block] : blocks) {
    const auto others =
        std::ranges::count_if(block.sides, [](const CycleCounts& counts) { return counts.times() != 0; });
    if (!block.has(0) || others < 2) continue;
    const auto share = shares.find({block.dso, block.symbol});
    if (share != shares.end()) block.share = share->second;
    result.push_back(std::move(block));
  }
  const std::size_t leading = std::min(std::max<std::size_t>(order, 1), sides.size() - 1);
  std::ranges::stable_sort(result, [&](const ComparedBlock& a, const ComparedBlock& b) {
    if (a.share != b.share) return a.share > b.share;
    if (std::tie(a.dso, a.symbol) != std::tie(b.dso, b.symbol))
      return std::tie(a.dso, a.symbol) < std::tie(b.dso, b.symbol);
    const auto size = [&](const ComparedBlock& block) {
      return block.has(leading) ? std::abs(block.change(leading)) : -1;
    };
    return size(a) > size(b);
  });
  return result;
}

}  // namespace peregrine
