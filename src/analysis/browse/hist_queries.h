// HistQueries: answers screens' queries from a Hists and its Machine.
//
// The owner passes a new Hists repeatedly while a recording is being read or is live. Row tables are built on demand
// and kept until the look changes. One thread; the machine must not change during a call.
#pragma once
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analysis/browse/queries.h"
#include "analysis/hist/chain/hist_frame.h"
#include "analysis/hist/entry/hists.h"
#include "analysis/hist/entry/kept_samples.h"
#include "analysis/hist/key/columns.h"
#include "analysis/hist/key/face_table.h"
#include "analysis/hist/key/naming.h"
#include "analysis/hist/key/sort_key.h"
#include "analysis/hist/picture/flame_tree.h"
#include "analysis/hist/row/call_graph.h"
#include "analysis/hist/row/graph_options.h"
#include "analysis/hist/row/row_table.h"
#include "analysis/hist/row/row_tree.h"
#include "base/result.h"
#include "base/types.h"

namespace peregrine {

struct BrowseOptions {
  Columns columns;
  std::vector<SortKey> keys;             // as collected; those of the columns come first
  std::vector<std::vector<u32>> tables;  // events of each table
  std::vector<std::string> names;        // one per table
  bool children = false, graphs = false, by_cpumode = false;
  GraphOptions graph;
  u32 sort_member = 0;
};

// Sets the source of functions' code.
using FindCode = std::function<Result<AnnotatedCode>(const HistFrame& frame, const std::vector<u32>& events)>;

class HistQueries : public Queries {
 public:
  // `naming` must outlive this.
  HistQueries(BrowseOptions options, Naming& naming);
  ~HistQueries() override;

  // `hists` must not change until the next call.
  void show(const Hists& hists);
  void set_progress(Progress progress) { progress_ = progress; }
  void set_code(FindCode find) { find_code_ = std::move(find); }
  void set_header(std::function<std::string()> header) { header_ = std::move(header); }
  void set_dsos(std::function<std::string(u32 dso)> describe) { describe_dso_ = std::move(describe); }
  void set_activity(std::function<std::vector<u64>(std::size_t)> activity,
                    std::function<ActivityTime()> time = nullptr) {
    activity_ = std::move(activity);
    activity_time_ = std::move(time);
  }

  std::vector<TableLine> tables() override;
  const BrowsePage& page(const BrowseLook& look) override;
  const RowTree& tree() override;
  CallGraph graph(u32 row) override;
  std::vector<NamedSum> parts(u32 row, Zoom::Kind by) override;
  std::vector<NamedSum> parts_through(u32 row, Zoom::Kind by) override;
  std::vector<KeptSample> samples(u32 row) override;
  Butterfly butterfly(const BrowseLook& look, const std::string& symbol) override;
  FlameTree flames(const BrowseLook& look) override;
  HistFrame frame(HistFrameId id) override { return hists_->frames()[id]; }
  Result<AnnotatedCode> annotate(const HistFrame& frame, std::size_t table) override;
  HistFrameId frame_of(u32 row) override;
  std::string describe_dso(HistFrameId frame) override;
  std::string header() override { return header_ ? header_() : std::string(); }
  std::vector<u64> activity(std::size_t parts) override { return activity_ ? activity_(parts) : std::vector<u64>(); }
  ActivityTime activity_time() override { return activity_time_ ? activity_time_() : ActivityTime(); }
  Progress progress() override { return progress_; }

 private:
  void choose_entries(const BrowseLook& look);
  Columns columns_of(const std::vector<u32>& events) const;
  bool keeps_entry(const HistEntry& entry, const BrowseLook& look) const;
  bool keeps_row(const Row& row, const BrowseLook& look) const;
  bool chain_has(const HistEntry& entry, const std::vector<bool>& wanted) const;
  std::vector<bool> frames_named(const std::string& name) const;
  std::vector<bool> frames_containing(const std::string& part) const;
  bool has_text(const Row& row, std::string_view part) const;
  std::string name_of(HistFrameId frame) const;
  void keep_levels();
  std::vector<NamedSum> split(std::span<const u32> entries, Zoom::Kind by) const;

  BrowseOptions options_;
  Naming& naming_;
  const Hists* hists_ = nullptr;
  Progress progress_;
  FindCode find_code_;
  std::function<std::string()> header_;
  std::function<std::string(u32)> describe_dso_;
  std::function<std::vector<u64>(std::size_t)> activity_;
  std::function<ActivityTime()> activity_time_;

  std::unique_ptr<FaceTable> faces_;
  std::unique_ptr<RowTable> table_;
  std::unique_ptr<CallGraphBuilder> graphs_;
  std::unique_ptr<RowTree> tree_;
  // Levels of rows without a map, taken from the table of all samples. Filters must not change them.
  std::unordered_map<u64, char> levels_;
  std::vector<bool> kept_;  // entries that pass the trail; empty: all
  BrowsePage page_;
  std::optional<std::string> table_look_;  // the look the table was built for
};

}  // namespace peregrine
