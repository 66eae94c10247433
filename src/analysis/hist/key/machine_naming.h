// MachineNaming: the texts for a Hists collected from a Machine.
#pragma once
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "analysis/data_type/data_type_table.h"
#include "analysis/hist/key/naming.h"
#include "analysis/hist/key/recorded_names.h"
#include "analysis/hist/key/sort_key.h"
#include "analysis/hist/key/trace_fields.h"
#include "analysis/hist/key/trace_texts.h"
#include "base/types.h"
#include "machine/machine.h"
#include "machine/source/source_table.h"

namespace peregrine {

// "kworker/3:1" → "kworker/<N>:<N>", so that numbered threads form one row.
std::string without_digits(std::string_view comm);

class MachineNaming : public Naming {
 public:
  // `machine` must outlive this and must not change any more.
  explicit MachineNaming(const Machine& machine, bool long_names = false, const SourceTable* sources = nullptr,
                         const TraceTexts* traces = nullptr, const TraceFields* fields = nullptr)
      : machine_(machine), sources_(sources), traces_(traces), fields_(fields), long_names_(long_names) {}
  void set_data_types(const DataTypeTable* types) { data_types_ = types; }  // must outlive this
  void set_recorded(RecordedNames names) { recorded_ = std::move(names); }

  // Forgets the names of symbols. Invalidates all names returned so far.
  void forget() { symbols_.clear(); }

  std::string_view dso(u32 dso) override;
  u64 dso_size(u32 dso) override;
  SymbolName symbol(u32 dso, u32 symbol) override;
  std::string_view source(u32 text) override {
    return sources_ == nullptr ? std::string_view() : sources_->text(SourceTextId(text));
  }
  std::string text(SortKey key, u64 value) override;
  std::string_view order(SortKey key, u64 value) override;

  // The texts that rows of sort_key_table.cc request: empty without the table that holds them, "(unknown)" for data
  // types.
  std::string comm(u32 comm) const;
  std::string thread_comm(u32 tid) const;  // the most recent one
  std::string cgroup(u64 id) const;
  std::string cgroup_namespace(u32 tid) const;  // "DEVICE/0xINODE"
  std::string data_type(u32 text) const;
  std::string trace_text(u32 text) const;
  std::string field_text(u32 text) const;

 private:
  const Machine& machine_;
  const SourceTable* sources_;
  const TraceTexts* traces_;
  const TraceFields* fields_;
  const DataTypeTable* data_types_ = nullptr;
  RecordedNames recorded_;
  bool long_names_;
  std::unordered_map<u64, std::string> symbols_;
};

}  // namespace peregrine
