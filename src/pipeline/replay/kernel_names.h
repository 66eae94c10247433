// KernelNames: resolves kernel addresses for print formats, with a replay's resolver at the time of a sample.
#pragma once
#include <optional>

#include "abi/record.h"
#include "base/types.h"
#include "event/print/print_format.h"
#include "machine/resolver/resolver.h"

namespace peregrine {

class KernelNames : public AddressNames {
 public:
  // Both must outlive this.
  KernelNames(Resolver& resolver, const Resolver::Context& context) : resolver_(resolver), context_(context) {}

  std::optional<AddressName> find(u64 address) override {
    const Frame& frame = resolver_.at(resolver_.frame(context_, address, abi::misc_bit::Kernel));
    if (!frame.dso || !frame.symbol) return std::nullopt;
    return AddressName{resolver_.symbol_name(frame), resolver_.symbol_offset(frame), {}};
  }

 private:
  Resolver& resolver_;
  const Resolver::Context& context_;
};

}  // namespace peregrine
