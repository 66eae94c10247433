#include "capture/synthesis/kernel.h"

#include <fcntl.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "abi/record.h"
#include "abi/record_rows.h"
#include "base/fd.h"
#include "base/number/parse_number.h"
#include "base/text/text_cursor.h"
#include "base/types.h"
#include "capture/synthesis/record_encoder.h"
#include "sys/kernel/host.h"
#include "sys/process/process.h"

namespace peregrine {
namespace {

constexpr u32 kKernelPid = 0xffffffffu;

struct TextSymbols {
  u64 start = 0, end = 0;
};

// Searches complete lines of kallsyms for _text (or _stext) and _etext.
void scan_symbols(std::string_view lines, TextSymbols& found) {
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    std::string_view line = lines.substr(0, end);
    lines.remove_prefix(std::min(end + 1, lines.size()));
    const auto address = take_number<u64>(line, 16);
    if (!address || line.size() < 3) continue;
    const std::string_view name = line.substr(3);
    if (name == "_text" || (name == "_stext" && found.start == 0)) found.start = *address;
    if (name == "_etext") found.end = *address;
  }
}

// The size of the kernel's code in /proc/iomem, which equals _etext − _text.
u64 code_size(const Root& root) {
  const auto text = root.read("/proc/iomem");
  if (!text) return 0;
  const std::size_t label = text->find(": Kernel code");
  if (label == std::string::npos) return 0;
  const std::size_t line = text->rfind('\n', label) + 1;
  TextCursor range(std::string_view(*text).substr(line, label - line));
  range.skip_blanks();
  const u64 first = range.take_number<u64>(16).value_or(~u64{0});
  if (!range.take('-')) return 0;
  const u64 last = range.take_number<u64>(16).value_or(0);
  return last > first ? last - first + 1 : 0;
}

// The first lines have the start symbol, and iomem has the size. If either fails, the whole file is read.
TextSymbols read_symbols(const Root& root) {
  TextSymbols found;
  auto fd = open_file(root.path("/proc/kallsyms"), O_RDONLY);
  if (!fd) return found;
  std::string head(4096, '\0');
  const auto size = read_full(fd->get(), head.data(), head.size());
  if (!size) return found;
  head.resize(*size);
  head.resize(head.rfind('\n') == std::string::npos ? 0 : head.rfind('\n'));
  scan_symbols(head, found);
  if (found.start != 0) {
    const u64 bytes = code_size(root);
    if (bytes != 0) found.end = found.start + bytes;
  }
  if (found.start != 0 && found.end != 0) return found;
  const auto all = root.read("/proc/kallsyms");
  if (all) scan_symbols(*all, found);
  return found;
}

// Maps module names, spelled as in /proc/modules, to files listed in modules.dep.
std::map<std::string, std::string, std::less<>> module_files(const Root& root) {
  std::map<std::string, std::string, std::less<>> files;
  const std::string folder = "/lib/modules/" + read_host(root).release;
  const auto list = root.read(folder + "/modules.dep");
  if (!list) return files;
  std::string_view lines = *list;
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    const std::string_view path = lines.substr(0, std::min(lines.find(':'), end));
    lines.remove_prefix(std::min(end + 1, lines.size()));
    const std::size_t slash = path.rfind('/') + 1;
    std::string name(path.substr(slash, path.find(".ko", slash) - slash));
    std::ranges::replace(name, '-', '_');
    files[std::move(name)] = folder + "/" + std::string(path);
  }
  return files;
}

}  // namespace

void put_kernel_map(const KernelMap& map, std::size_t trailer_size, ByteWriter& out) {
  const bool with_id = !map.id.empty();
  RecordEncoder record(out, with_id ? abi::RecordType::Mmap2 : abi::RecordType::Mmap,
                       static_cast<u16>(abi::misc_bit::Kernel | (with_id ? abi::misc_bit::MmapBuildId : 0)));
  auto& body = record.body();
  body.put32(kKernelPid).put32(0).put64(map.start).put64(map.size).put64(map.offset);
  if (with_id) {
    body.put8(map.id.size).put8(0).put16(0).append(std::as_bytes(std::span(map.id.bytes)));
    body.put32(0).put32(0);  // prot, flags
  }
  record.text(map.name);
  record.end(trailer_size);
}

std::optional<KernelText> kernel_text(const Root& root) {
  const TextSymbols found = read_symbols(root);
  if (found.start == 0 || found.end <= found.start) return std::nullopt;
  return KernelText{found.start, found.end};
}

void synthesize_kernel_map(const KernelText& text, const BuildId& id, std::size_t trailer_size, ByteWriter& out) {
  put_kernel_map({text.start, text.end - text.start, text.start, "[kernel.kallsyms]_text", id}, trailer_size, out);
}

void synthesize_module_maps(const Root& root, bool build_ids, std::size_t trailer_size, ByteWriter& out) {
  auto modules = kernel_modules(root);
  std::erase_if(modules, [](const LoadedModule& module) { return module.start == 0; });
  if (modules.empty()) return;
  std::ranges::sort(modules, {}, &LoadedModule::start);
  const auto files = module_files(root);
  for (const auto& module : modules) {
    const auto file = files.find(module.name);
    const std::string name = file != files.end() ? file->second : "[" + module.name + "]";
    const BuildId id = build_ids ? BuildId::from_bytes(module_build_id(root, module.name)) : BuildId();
    put_kernel_map({module.start, module.size, 0, name, id}, trailer_size, out);
  }
}

}  // namespace peregrine
