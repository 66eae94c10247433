// DataTypeTable: the type of data that a frame's instruction accesses, as display text.
//
// Used next to the DsoTable: each worker asks once per frame and caches the answer. Equal answers have equal ids in all
// workers. Functions are analysed on first use; see ImageTypes. Thread safe.
#pragma once
#include <array>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <tuple>

#include "analysis/data_type/data_access.h"
#include "base/container/id.h"
#include "base/container/string_pool.h"
#include "base/types.h"
#include "machine/dso/dso.h"
#include "machine/process/moment.h"
#include "machine/resolver/resolver.h"
#include "probe/type/type_source.h"

namespace peregrine {

class ImageTypes;

using DataTypeId = Id<struct DataTypeTag>;

// One offset of one type, or a placeholder for unknown types.
struct ShownDataType {
  std::string name;    // "struct foo", "(stack operation)", "(unknown)"
  std::string member;  // "list.next"; empty if none
  u64 offset = 0;
  u64 size = 0;  // of the type
  TypeRef type;  // the first one of that name; lives as long as the table
  UnknownType why = UnknownType::None;
};

// The text after an instruction: "struct foo +0x8 (list.next)"; empty if there is no type.
std::string instruction_text(const ShownDataType& type);

// Number of samples of unknown type, by reason.
using UnknownTypeCounts = std::array<u64, kUnknownTypes>;
// "of instructions that touch no memory"
std::string_view unknown_type_text(UnknownType why);
// "the type … is not known for 3 of 10 samples: 2 of …"; empty if all are known.
std::string unknown_types_text(const UnknownTypeCounts& counts, u64 samples);

class DataTypeTable {
 public:
  // `dsos` must outlive this.
  explicit DataTypeTable(const DsoTable& dsos);
  ~DataTypeTable();

  // Only the frame's dso and dso address matter.
  DataTypeId find(const Frame& frame);
  // "mov"; empty if the instruction cannot be decoded.
  std::string mnemonic(const Frame& frame);
  // Valid as long as the table.
  const ShownDataType& at(DataTypeId id) const;
  // Column texts, interned: equal texts have equal ids.
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
