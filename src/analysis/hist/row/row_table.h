// RowTable: the lines of one event's histogram, or of a group's, made from a Hists: sums and their order.
//
// Of a group each row has one set of sums per member; entries of different events that no key tells apart are one row,
// and call graphs are the leader's. With children, a row also counts the samples of all it called: each sample once a
// row, whatever the recursion. Rows are ordered by the columns asked for; what is equal in all of them is ordered by
// content, never by arrival. The Hists must stay unchanged as long as the table.
#pragma once
#include <array>
#include <vector>

#include "analysis/hist/entry/hists.h"
#include "analysis/hist/key/face_table.h"
#include "analysis/hist/key/sort_key.h"
#include "analysis/hist/row/caller_sums.h"

namespace peregrine {

enum class ChainOrder : u8 { Callee, Caller };  // innermost first; outermost first

struct RowRequest {
  std::vector<u32> events{0};  // the event; of a group, its members, the leader first
  Columns columns;
  bool children = false;
  bool with_chains = false;  // call graphs are shown: of equal callers and callees, the order is theirs
  ChainOrder chain_order = ChainOrder::Callee;
  u32 sort_member = 0;    // of a group, whose sums order the rows first; beyond the last: the leader's alone
  bool relative = false;  // shares of what passed the filters
  std::vector<SortKey> collected = {};  // the collector's keys, when they are more than those of the columns
  bool by_cpumode = false;              // the group's last value is the sample's cpumode, for the sys/user metrics
  std::vector<bool> kept_entries = {};  // by entry: whether it counts at all; empty: all do
};

struct Row {
  u32 group = 0;            // GroupId of its first entry: gives the values of the group keys
  u32 face = 0;             // FaceId: gives those of the frame keys
  u32 sums = 0;             // where its sums are
  u32 first = 0xffffffffu;  // ordinal of the first sample that touched it; the leader's come before its members'
  u32 thread = 0;           // that sample's thread
  char level = '.';         // what the frame was at that sample: k kernel, . user, …
  u32 depth = 0;            // frames of its longest chain
};

struct RowSums {
  u64 period = 0;    // own
  u64 children = 0;  // own and callees'
  u64 samples = 0;   // own
  u64 latency = 0;   // own, times kLatencyScale
};
// So that a period divided by up to eight threads stays whole.
inline constexpr u64 kLatencyScale = 840;
// Own sums of the samples' weights.
using WeightSums = std::array<u64, 3>;
// Own period by the mode of the processor.
struct ModePeriods {
  u64 sys = 0, user = 0, guest_sys = 0, guest_user = 0;
};

class RowTable {
 public:
  RowTable(const Hists& hists, const FaceTable& faces, Naming& naming, RowRequest request);

  const std::vector<Row>& rows() const { return rows_; }
  const RowRequest& request() const { return request_; }
  const Hists& hists() const { return hists_; }
  const FaceTable& faces() const { return faces_; }

  std::size_t members() const { return request_.events.size(); }
  // What a share of 100 % is.
  u64 total_period(std::size_t member = 0) const { return totals_[member]; }
  u64 total(Metric metric, std::size_t member = 0) const {
    return metric == Metric::Latency ? latency_totals_[member] : totals_[member];
  }
  // The same for call graphs: only samples that have a chain.
  u64 chain_total() const { return chain_total_; }
  const RowSums& sums(const Row& row, std::size_t member = 0) const { return sums_[row.sums * members() + member]; }
  // What the row is sized by: children's period when these are shown.
  u64 weight(const Row& row) const { return request_.children ? sums(row).children : sums(row).period; }
  u64 value(const Row& row, Metric metric, std::size_t member = 0) const;

  u64 group_value(const Row& row, SortKey key) const;
  // Text of a group key that is shown as text; of Pid, the thread's comm.
  std::string_view group_text(const Row& row, SortKey key) const;
  const FrameLook& frame_look(const Row& row) const { return faces_.look(FaceId(row.face)); }
  // For keys about data addresses.
  const FrameLook& data_look(const Row& row, SortKey key) const;
  HistFrameId data_frame(const Row& row, SortKey key) const;
  // Where the row stands among all by that key alone; the same for what the key does not tell apart, but for functions
  // of one name.
  u64 rank_of(const Row& row, SortKey key) const;

  // Indices of the leader's entries whose own row this is.
  std::span<const u32> entries_of(std::size_t row) const;
  // All the leader's entries of a group, whatever their row.
  std::vector<u32> entries_of_group(u32 group) const;
  static constexpr u32 kNoRow = 0xffffffffu;

 private:
  struct KeyValues {  // of one group key
    SortKey key;
    std::size_t column;           // in the group's values
    std::vector<u32> rank;        // by group
    std::vector<StringId> texts;  // by group; empty unless shown as text
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
  bool frame_before(const SortKeySpec& spec, HistFrameId a, HistFrameId b) const;
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
  std::vector<RowSums> sums_;        // by Row::sums, member by member
  std::vector<ModePeriods> modes_;   // the same; empty unless by_cpumode
  std::vector<WeightSums> weights_;  // the same; empty unless weights are known
  std::vector<u64> parts_;           // kAccessParts for each; empty unless a breakdown is shown
  int parallelism_column_ = -1;      // in a group's values; -1: not known
  int parts_column_ = -1;            // the same
  std::array<int, 3> weight_columns_{-1, -1, -1};
  std::vector<u32> group_class_;  // groups that no shown key tells apart share one
  std::vector<u32> own_row_;      // by entry
  std::vector<u32> entry_start_, entry_list_;
  std::vector<KeyValues> values_;
  StringPool texts_;
  std::vector<u64> totals_, latency_totals_;  // by member
  u64 chain_total_ = 0;
  FlatIndex index_;
};

// The keys of a collector that makes a table of these columns: theirs, then those that its metrics are made of. With
// `parallelism` that of each sample is among them.
std::vector<SortKey> collected_keys(const Columns& columns, bool parallelism);

// Where in a group's values the value of a key is: values are the event, then the group keys in order, each once; -1
// when the key is not among them. (A cpumode value, when asked for, comes last.)
int group_column(const std::vector<SortKey>& keys, SortKey key);
// How many values a group has for these keys.
std::size_t group_width(const std::vector<SortKey>& keys, bool by_cpumode);

}  // namespace peregrine
