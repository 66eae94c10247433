// DataTypeTable: the type of data that the instruction at a frame touches, as texts that are shown.
//
// Stands beside the DsoTable, and is asked once per frame by each worker, which keeps the answer. Equal answers have
// equal ids for all workers. Functions are followed at the first question; see ImageTypes. Thread safe.
#pragma once
#include <array>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "analysis/data_type/data_access.h"
#include "base/container/string_pool.h"
#include "machine/resolver/resolver.h"

namespace peregrine {

class ImageTypes;

using DataTypeId = Id<struct DataTypeTag>;

// One offset of one type, or what stands for types that are not known.
struct ShownDataType {
  std::string name;    // "struct foo", "(stack operation)", "(unknown)"
  std::string member;  // "list.next"; empty: no field
  u64 offset = 0;
  u64 size = 0;  // of the type
  TypeRef type;  // of the first one of that name; lives as long as the table
  UnknownType why = UnknownType::None;
};

// What stands behind an instruction: "struct foo +0x8 (list.next)"; empty for what is no type.
std::string instruction_text(const ShownDataType& type);

// Samples whose type is not known, by reason.
using UnknownTypeCounts = std::array<u64, kUnknownTypes>;
// "of instructions that touch no memory"
std::string_view unknown_type_text(UnknownType why);
// "the type … is not known for 3 of 10 samples: 2 of …"; empty when all are known.
std::string unknown_types_text(const UnknownTypeCounts& counts, u64 samples);

class DataTypeTable {
 public:
  // `dsos` outlives it.
  explicit DataTypeTable(const DsoTable& dsos);
  ~DataTypeTable();

  // `frame`: of which only the dso and its address count.
  DataTypeId find(const Frame& frame);
  // The first word of the instruction: "mov"; empty: nobody here reads it.
  std::string mnemonic(const Frame& frame);
  // Valid as long as the table.
  const ShownDataType& at(DataTypeId id) const;
  // Texts of the columns, interned: equal texts are equal ids.
  struct Texts {
    StringId type, offset, line;
  };
  Texts texts(DataTypeId id) const;
  std::string_view text(StringId id) const;

 private:
  ImageTypes& image_of(DsoId dso);
  DataTypeId intern(const DataAccess& access);

  const DsoTable& dsos_;
  mutable std::mutex mutex_;
  std::map<u32, std::unique_ptr<ImageTypes>> images_;  // by dso
  std::deque<ShownDataType> shown_;
  std::deque<Texts> texts_;
  std::map<std::tuple<std::string, u64, u64, UnknownType>, DataTypeId> ids_;
  StringPool pool_;
};

}  // namespace peregrine
