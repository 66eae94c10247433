// OpenUnit: the first unit of a DwarfWriter's file, opened with production code.
#pragma once
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "support/dwarf_writer.h"
#include "support/elf_image.h"
#include "symbol/dwarf/dwarf_constants.h"
#include "symbol/dwarf/dwarf_file.h"
#include "symbol/dwarf/dwarf_unit.h"
#include "symbol/elf/elf_file.h"

namespace peregrine::support {

// The first unit of a file in memory, opened.
class OpenUnit {
 public:
  explicit OpenUnit(const DwarfWriter& dwarf, std::vector<ImageSection> more = {})
      : file_(*ElfFile::from_bytes(dwarf.image(std::move(more)).bytes(), "image"), DwarfFile::Sections::Plain),
        unit_(file_, file_.units().at(0)) {
    EXPECT_TRUE(unit_.open(root_));
  }
  const DwarfFile& file() const { return file_; }
  const DwarfUnit& operator*() const { return unit_; }
  const DwarfUnit* operator->() const { return &unit_; }
  const UnitRoot& root() const { return root_; }

 private:
  DwarfFile file_;
  DwarfUnit unit_;
  UnitRoot root_;
};

// A unit of one entry.
inline DwarfWriter one_entry(DwarfShape shape, const std::vector<DwarfValue>& values) {
  DwarfWriter dwarf(shape);
  dwarf.begin_unit();
  dwarf.entry(DwarfTag::CompileUnit, values);
  dwarf.end_unit();
  return dwarf;
}

}  // namespace peregrine::support
