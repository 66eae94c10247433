// RowTable: the rows of the histogram of one event, or of a group, with sums and order, built from a Hists.
//
// For a group each row has sums per member; entries of different events with equal keys share a row, and call graphs
// are the leader's. With children, a row also counts the samples of its callees, each sample once per row despite
// recursion. Rows are sorted by the requested columns; ties are broken by content, never by arrival. The Hists must not
// change while the table exists.
#pragma once
#include <array>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "analysis/flat_index.h"
#include "analysis/hist/chain/chain_tree.h"
#include "analysis/hist/chain/hist_frame.h"
#include "analysis/hist/entry/hists.h"
#include "analysis/hist/key/columns.h"
#include "analysis/hist/key/face_table.h"
#include "analysis/hist/key/metric.h"
#include "analysis/hist/key/naming.h"
#include "analysis/hist/key/sort_key.h"
#include "analysis/hist/row/caller_sums.h"
#include "base/container/string_pool.h"
#include "base/types.h"

namespace peregrine {

enum class ChainOrder : u8 { Callee, Caller };  // innermost first; outermost first

struct RowRequest {
  std::vector<u32> events{0};  // the event; for a group its members, leader first
  Columns columns;
  bool children = false;
  bool with_chains = false;  // call graphs are shown and determine the order of equal callers and callees
  ChainOrder chain_order = ChainOrder::Callee;
  u32 sort_member = 0;                  // rows are sorted by this group member's sums; if out of range, by the leader's
                                        // only
  bool relative = false;                // percentages of what passed the filters
  std::vector<SortKey> collected = {};  // the collector's keys, if there are more than the columns'
  bool by_cpumode = false;              // the group's last value is the sample's cpumode, for sys/user metrics
  std::vector<bool> kept_entries = {};  // by entry: whether it counts; empty: all
};

struct Row {
  u32 group = 0;            // GroupId of its first entry: supplies group key values
  u32 face = 0;             // FaceId: supplies frame key values
  u32 sums = 0;             // index of its sums
  u32 first = 0xffffffffu;  // ordinal of its first sample; the leader's sort before members'
  u32 thread = 0;           // thread of that sample
  char level = '.';         // the frame's level in that sample: k kernel, . user, …
  u32 depth = 0;            // length of its longest chain
};

struct RowSums {
  u64 period = 0;    // own
  u64 children = 0;  // self and callees
  u64 samples = 0;   // own
  u64 latency = 0;   // own, times kLatencyScale
};
// Keeps a period divided by up to eight threads an integer.
inline constexpr u64 kLatencyScale = 840;
// Weight sums of the row's self samples.
using WeightSums = std::array<u64, 3>;
// Self period by processor mode.
struct ModePeriods {
  u64 sys = 0, user = 0, guest_sys = 0, guest_user = 0;
};

class RowTable {
 public:
  RowTable(const Hists& hists, const FaceTable& faces, Naming& naming, RowRequest request);

  const std::vector<Row>& rows() const { return rows_; }
  // The row with the same group and face in a table of more samples.
  void set_level(std::size_t row, char level) { rows_[row].level = level; }
  const RowRequest& request() const { return request_; }
  const Hists& hists() const { return hists_; }
  const FaceTable& faces() const { return faces_; }

  std::size_t members() const { return request_.events.size(); }
  // The value that equals 100 %.
  u64 total_period(std::size_t member = 0) const { return totals_[member]; }
  u64 total(Metric metric, std::size_t member = 0) const {
    return metric == Metric::Latency ? latency_totals_[member] : totals_[member];
  }
  // The same for call graphs: only samples with a chain.
  u64 chain_total() const { return chain_total_; }
  const RowSums& sums(const Row& row, std::size_t member = 0) const { return sums_[row.sums * members() + member]; }
  // The size of a row: the children's period if shown.
  u64 weight(const Row& row) const { return request_.children ? sums(row).children : sums(row).period; }
  u64 value(const Row& row, Metric metric, std::size_t member = 0) const;

  u64 group_value(const Row& row, SortKey key) const;
  // The text of a text key; for Pid, the thread's comm.
  std::string_view group_text(const Row& row, SortKey key) const;
  const FrameLook& frame_look(const Row& row) const { return faces_.look(FaceId(row.face)); }
  // For keys about data addresses.
  const FrameLook& data_look(const Row& row, SortKey key) const;
  // For keys about frames of either kind.
  const FrameLook& look(const Row& row, SortKey key) const {
    return key->source == KeySource::Frame ? frame_look(row) : data_look(row, key);
  }
  HistFrameId data_frame(const Row& row, SortKey key) const;
  // The row's rank by that key alone; rows that the key does not distinguish have equal ranks, except for functions
  // with the same name.
  u64 rank_of(const Row& row, SortKey key) const;

  // Indices of the leader's entries that make up this row's self period.
  std::span<const u32> entries_of(std::size_t row) const;
  // All entries of the leader, by group.
  struct GroupedEntries {
    std::vector<u32> start;  // by group: index of its first entry; one element more than groups
    std::vector<u32> entries;
    std::span<const u32> of(u32 group) const {
      return std::span(entries).subspan(start[group], start[group + 1] - start[group]);
    }
  };
  GroupedEntries entries_by_group() const;
  static constexpr u32 kNoRow = 0xffffffffu;

 private:
  struct KeyValues {  // for one group key
    SortKey key;
    std::size_t column;           // in the group's values
    std::vector<u32> rank;        // by group
    std::vector<StringId> texts;  // by group; empty for number keys
  };
  void add_entries();
  int column_of_group(SortKey key) const;
  void find_columns();
  void drop_empty_parts();
  void add_own(u32 entry, u32 own_row, std::size_t member, u32 depth);
  void add_callers(CallerSums& sums);
  void add_caller(const CallerSums& sums, u32 node, const CallerSums::Node& sum, u32 group, std::size_t member);
  bool calls_itself(const HistEntry& entry) const;
  char level_of_caller(const HistEntry& entry, ChainId node, u32 face) const;
  u32 member_of(u32 event) const;
  u32 row_of(u32 group, u32 face);
  static void touch(Row& row, const HistEntry& entry, u32 first, u32 depth, char level);
  u64 rank_of_frame(const Row& row, KeyKind kind) const;
  bool frame_before(SortKey key, HistFrameId a, HistFrameId b) const;
  void rank_groups(Naming& naming);
  std::vector<u32> rank_values(SortKey key, std::span<const u64> values, std::span<const StringId> texts,
                               Naming& naming) const;
  void classify_groups();
  void sort_rows();
  void index_entries();
  struct Places;
  std::vector<std::size_t> compared_members(Metric metric) const;
  Places wanted_places() const;
  Places content_places() const;
  std::vector<u32> insertion_order(const std::vector<u32>& by_content, const Places& wanted) const;
  const KeyValues* values_of(SortKey key) const;

  const Hists& hists_;
  const FaceTable& faces_;
  RowRequest request_;
  std::vector<Row> rows_;
  std::vector<RowSums> sums_;        // by Row::sums, then member
  std::vector<ModePeriods> modes_;   // likewise; empty unless by_cpumode
  std::vector<WeightSums> weights_;  // likewise; empty if weights are unknown
  std::vector<u64> parts_;           // kAccessParts per sums; empty unless a breakdown is shown
  int parallelism_column_ = -1;      // index in a group's values; -1: absent
  int parts_column_ = -1;            // likewise
  std::array<int, 3> weight_columns_{-1, -1, -1};
  std::vector<u32> group_class_;  // groups with equal shown keys share a class
  std::vector<u32> own_row_;      // by entry
  std::vector<u32> entry_start_, entry_list_;
  std::vector<KeyValues> values_;
  StringPool texts_;
  std::vector<u64> totals_, latency_totals_;  // by member
  u64 chain_total_ = 0;
  FlatIndex index_;
};

// The keys a collector needs for a table of these columns: the columns' own, then those its metrics need, including
// each sample's parallelism if `parallelism`.
std::vector<SortKey> collected_keys(const Columns& columns, bool parallelism);

// The values at the end of a group, after those of its keys: none, the sample's cpumode, or its pid.
enum class GroupTail : u8 { None, Cpumode, Process };
// The index of a key in a group's values: first the event, then the group keys in order without duplicates; -1 if the
// key is absent.
int group_column(const std::vector<SortKey>& keys, SortKey key);
// Number of values in a group for these keys.
std::size_t group_width(const std::vector<SortKey>& keys, GroupTail tail);

}  // namespace peregrine
