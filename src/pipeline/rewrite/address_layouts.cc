#include "pipeline/rewrite/address_layouts.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

#include "abi/record.h"
#include "base/types.h"

namespace peregrine {
namespace {

constexpr AddressMap::Areas kProcess{.pieces = u64{1} << 36,
                                     .pieces_end = 0x7000'0000'0000u,
                                     .gap = u64{1} << 20,
                                     .low_pieces = 0x1000'0000u,
                                     .low_end = 0xf000'0000u,
                                     .low_gap = u64{1} << 16,
                                     .pages = 0x7000'0000'0000u,
                                     .pages_end = 0x7fff'0000'0000u};
constexpr AddressMap::Areas kKernelAreas{.pieces = 0xffff'ffff'c000'0000u,
                                         .pieces_end = 0xffff'ffff'ff00'0000u,
                                         .gap = 4096,
                                         .pages = 0xffff'c900'0000'0000u,
                                         .pages_end = 0xffff'e900'0000'0000u};
// The kernel image: the address x86 links it at, the area x86 loads it into, and how far data may extend past the code
// that a map covers.
constexpr u64 kImageStart = 0xffff'ffff'8100'0000u, kMostImage = 0x3f00'0000u, kLeastImage = u64{256} << 20;
constexpr u64 kImagesStart = 0xffff'ffff'8000'0000u, kImagesEnd = 0xffff'ffff'c000'0000u;
// A longer map, or one that ends with the modules' area, got its length from the start of the next one.
constexpr u64 kMostModule = u64{128} << 20, kModulesEnd = 0xffff'ffff'ff00'0000u, kUnknownModule = u64{16} << 20;
// No file is this long: larger offsets are addresses.
constexpr u64 kMostOffset = 0x2a'0000'0000u;
constexpr u64 kPageMask = 4095;
// Copying spaces is quadratic in a crafted recording, so the cost is limited per change, after a free allowance.
constexpr u64 kCopiedPerChange = 64, kFreeCopies = u64{1} << 20;

// Returns whether page offsets are file offsets. For other memory the kernel records its address, for devices a
// physical address.
bool has_file_offsets(std::string_view name) {
  if (name.starts_with("/dev/")) return name.starts_with("/dev/shm/") || name.starts_with("/dev/hugepages/");
  for (const std::string_view other : {"//", "/proc/", "/sys/", "/SYSV", "/anon_hugepage"})
    if (name.starts_with(other)) return false;
  return name.starts_with('/');
}

u64 offset_of(const abi::MmapRecord& record, u64 old_start) {
  if (record.page_offset < kMostOffset && has_file_offsets(record.filename)) return record.page_offset;
  return record.page_offset == old_start ? record.start : 0;
}

u64 module_length(u64 start, u64 length) {
  const bool to_the_end = start + length < start || start + length >= kModulesEnd;
  return to_the_end || length > kMostModule ? kUnknownModule : length;
}

}  // namespace

AddressLayouts::AddressLayouts() : kernel_(kKernelAreas) {}

std::size_t AddressLayouts::add_space(AddressMap map, std::size_t previous) {
  if (previous != kNoSpace) ++spaces_[previous].followers;
  Space space{std::move(map), previous, 0, 0};
  if (unused_.empty()) {
    spaces_.push_back(std::move(space));
    return spaces_.size() - 1;
  }
  const std::size_t index = unused_.back();
  unused_.pop_back();
  spaces_[index] = std::move(space);
  return index;
}

void AddressLayouts::put(u32 pid, std::size_t space) {
  ++spaces_[space].processes;
  const auto [process, added] = processes_.try_emplace(pid, space);
  if (!added) leave(std::exchange(process->second, space));
}

void AddressLayouts::leave(std::size_t space) {
  if (--spaces_[space].processes != 0) return;
  if (const std::size_t before = std::exchange(spaces_[space].previous, kNoSpace); before != kNoSpace) {
    --spaces_[before].followers;
    recycle(before);
  }
  recycle(space);
}

void AddressLayouts::recycle(std::size_t space) {
  if (spaces_[space].processes != 0 || spaces_[space].followers != 0) return;
  spaces_[space].map = AddressMap(kProcess);
  unused_.push_back(space);
}

std::size_t AddressLayouts::space_of(u32 pid) {
  if (const auto known = processes_.find(pid); known != processes_.end()) return known->second;
  const std::size_t space = add_space(AddressMap(kProcess), kNoSpace);
  put(pid, space);
  return space;
}

void AddressLayouts::fork(u32 parent, u32 child) {
  if (parent != child) put(child, space_of(parent));
}

void AddressLayouts::exec(u32 pid) {
  const std::size_t old = space_of(pid);
  AddressMap map(kProcess);
  map.continue_behind(spaces_[old].map);
  put(pid, add_space(std::move(map), old));
}

AddressMap& AddressLayouts::map_of(std::size_t space, u64 address) {
  Space& own = spaces_[space];
  const auto has = [address](const AddressMap& map) { return map.covers(address) || map.covers(address - 1); };
  const bool before = own.previous != kNoSpace && !has(own.map) && has(spaces_[own.previous].map);
  return before ? spaces_[own.previous].map : own.map;
}

AddressMap& AddressLayouts::guest_kernel(u32 pid) {
  const auto own = guest_kernels_.find(pid);
  return own != guest_kernels_.end() ? own->second : guest_kernels_.try_emplace(0, kKernelAreas).first->second;
}

u64 AddressLayouts::at(bool guest, u32 pid, u64 address) {
  if (is_kernel_address(address)) return guest ? guest_kernel(pid).at(address) : kernel_.at(address);
  if (guest) return guest_programs_.try_emplace(pid, kProcess).first->second.at(address);
  return map_of(space_of(pid), address).at(address);
}

bool AddressLayouts::covers(bool guest, u32 pid, u64 address) {
  if (is_kernel_address(address)) return guest ? guest_kernel(pid).covers(address) : kernel_.covers(address);
  return !guest && map_of(space_of(pid), address).covers(address);
}

bool AddressLayouts::is_near_low_map(bool guest, u32 pid, u64 address) {
  return !guest && map_of(space_of(pid), address).is_near_low_piece(address);
}

void AddressLayouts::map(abi::MmapRecord& record, u16 cpumode) {
  ++changes_;
  switch (cpumode) {
    case abi::misc_bit::Kernel:
      return map_kernel(record, kernel_);
    case abi::misc_bit::GuestKernel: {
      const u32 pid = record.pid == ~0u ? 0 : record.pid;
      return map_kernel(record, guest_kernels_.try_emplace(pid, kKernelAreas).first->second);
    }
    case abi::misc_bit::GuestUser: {
      AddressMap& programs = guest_programs_.try_emplace(record.pid, kProcess).first->second;
      const u64 start = std::exchange(record.start, programs.map(record.start, record.length));
      record.page_offset = offset_of(record, start);
      return;
    }
    default:
      return map_process(record);
  }
}

// Forked processes share a layout until one of them adds a mapping that does not fit into it.
void AddressLayouts::map_process(abi::MmapRecord& record) {
  const u64 old = record.start;
  std::size_t space = space_of(record.pid);
  auto start = spaces_[space].map.extend(record.start, record.length);
  if (!start) {
    const std::size_t size = spaces_[space].map.size();
    if (spaces_[space].processes > 1 && copied_ + size <= kCopiedPerChange * changes_ + kFreeCopies) {
      copied_ += size;
      put(record.pid, add_space(AddressMap(spaces_[space].map), spaces_[space].previous));
      space = space_of(record.pid);
    }
    start = spaces_[space].map.map(record.start, record.length);
  }
  record.start = *start;
  record.page_offset = offset_of(record, old);
}

// Moves the map's reference symbol to its link-time address. If a map extends past the code, its length reveals where
// modules begin, so every kernel gets the same length and modules move independently of the image.
void AddressLayouts::map_kernel(abi::MmapRecord& record, AddressMap& kernel) {
  const bool image = record.filename.starts_with("[kernel.kallsyms") || record.filename.starts_with("[guest.kernel");
  if (!image) {
    record.length = module_length(record.start, record.length);
    record.start = kernel.map_apart(record.start, record.length);
    record.page_offset = is_kernel_address(record.page_offset) ? kernel.at(record.page_offset) : 0;
    return;
  }
  const u64 anchor = is_kernel_address(record.page_offset) ? record.page_offset : record.start;
  if (is_kernel_address(anchor) && !kernel.covers(anchor)) {
    u64 start = anchor & ~kPageMask;
    if (is_kernel_address(record.start) && record.start < start && start - record.start < kLeastImage)
      start = record.start & ~kPageMask;
    u64 size = std::min({std::max(record.length, kLeastImage), kMostImage, ~kPageMask - start});
    if (start >= kImagesStart && start < kImagesEnd) size = std::min(kMostImage, kImagesEnd - start);
    kernel.pin(start, start + (size & ~kPageMask), kImageStart + start - (anchor & ~kPageMask));
  }
  if (record.start == 0) {
    record.length = ~u64{0};
  } else {
    record.start = kernel.at(record.start);
    const bool in_place = record.start >= kImagesStart && record.start < kImagesEnd;
    record.length = in_place ? std::min(kMostImage, kImagesEnd - record.start) : kMostImage;
  }
  record.page_offset = is_kernel_address(record.page_offset) ? kernel.at(record.page_offset) : 0;
}

}  // namespace peregrine
