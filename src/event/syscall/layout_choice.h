// LayoutChoice: the struct an argument points at if a command argument selects it: ioctl(2), bpf(2), shmctl(2).
// Constant text (layout_choice.cc), from the uapi headers.
#pragma once
#include <string_view>
#include <vector>

#include "base/types.h"
#include "event/syscall/struct_layout.h"

namespace peregrine {

struct LayoutChoice {
  struct Row {
    u64 command = 0;
    const StructLayout* layout = nullptr;
    bool filled = false;  // the call writes it: unavailable if it failed
  };
  std::string_view name;
  u16 most = 0;           // bytes of the largest struct
  std::vector<Row> rows;  // by command

  // Null if the command takes no struct or an unknown one.
  const Row* of(u64 command) const;
};

class LayoutChoices {
 public:
  // `layouts` must outlive this.
  explicit LayoutChoices(const StructLayouts& layouts);
  const LayoutChoice* find(std::string_view name) const;

 private:
  std::vector<LayoutChoice> choices_;
};

}  // namespace peregrine
