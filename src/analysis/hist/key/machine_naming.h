// MachineNaming: the texts for a Hists collected from a Machine.
#pragma once
#include <string>
#include <unordered_map>
#include <vector>

#include "analysis/data_type/data_type_table.h"
#include "analysis/hist/key/naming.h"
#include "analysis/hist/key/recorded_names.h"
#include "analysis/hist/key/trace_fields.h"
#include "analysis/hist/key/trace_texts.h"
#include "machine/machine.h"
#include "machine/source/source_table.h"

namespace peregrine {

class MachineNaming : public Naming {
 public:
  // `machine` outlives it and changes no more.
  explicit MachineNaming(const Machine& machine, bool long_names = false, const SourceTable* sources = nullptr,
                         const TraceTexts* traces = nullptr, const TraceFields* fields = nullptr)
      : machine_(machine), sources_(sources), traces_(traces), fields_(fields), long_names_(long_names) {}
  void set_data_types(const DataTypeTable* types) { data_types_ = types; }  // outlives it
  void set_recorded(RecordedNames names) { recorded_ = std::move(names); }

  std::string_view dso(u32 dso) override;
  u64 dso_size(u32 dso) override;
  SymbolName symbol(u32 dso, u32 symbol) override;
  std::string_view source(u32 text) override {
    return sources_ == nullptr ? std::string_view() : sources_->text(SourceTextId(text));
  }
  std::string text(SortKey key, u64 value) override;
  std::string_view order(SortKey key, u64 value) override;

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
