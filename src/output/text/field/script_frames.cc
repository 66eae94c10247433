#include "output/text/field/script_frames.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <iterator>

#include "abi/record.h"
#include "base/types.h"
#include "output/text/field/script_field_rows.h"
#include "output/text/format/printable.h"

namespace peregrine {

const Frame& frame_anywhere(Resolver& resolver, const ReplaySample& sample, u64 address) {
  const u16 own = sample.sample.cpumode();
  const bool guest = own > abi::misc_bit::User;
  return resolver.at(guest ? resolver.frame(sample.context, address, own)
                           : resolver.frame_anywhere(sample.context, address));
}

void append_symbol(std::string& out, Resolver& resolver, const Frame& frame, bool with_offset) {
  if (!frame.symbol) {
    out += "[unknown]";
    return;
  }
  append_printable(out, resolver.symbol_name(frame));
  if (with_offset) fmt::format_to(std::back_inserter(out), "+0x{:x}", resolver.symbol_offset(frame));
}

void append_dso(std::string& out, const Resolver& resolver, const Frame& frame, bool with_offset) {
  append_printable(out, frame.dso ? std::string_view(resolver.machine().dsos().at(frame.dso).name) : "[unknown]");
  const bool kernel = frame.kind == FrameKind::Kernel || frame.kind == FrameKind::GuestKernel;
  if (with_offset && frame.dso && !kernel) fmt::format_to(std::back_inserter(out), "+0x{:x}", frame.address);
}

void ScriptFrames::format_address(const Frame& frame) {
  const auto add = std::back_inserter(line_);
  line_ += '\t';
  if (addresses_ != ScriptAddresses::Relative) fmt::format_to(add, "{:16x}", ip_);
  if (addresses_ == ScriptAddresses::Both) line_ += ' ';
  if (addresses_ != ScriptAddresses::Absolute) fmt::format_to(add, "{:16x}", frame.address);
}

void ScriptFrames::put_line_at(ScriptText& out, Resolver& resolver, FrameId frame, u64 ip, ScriptAddresses addresses) {
  addresses_ = addresses;
  ip_ = ip;
  format_line(resolver, resolver.at(frame));
  addresses_ = ScriptAddresses::Relative;
  out.room(line_.size());
  out.put(line_);
}

void ScriptFrames::format_source_line(Resolver& resolver, const Frame& frame, SourceTextId line) {
  line_ += "\n  ";
  if (line)
    append_printable(line_, source_.table->text(line));
  else if (source_.inlined)
    line_ += "??:0";
  else
    fmt::format_to(std::back_inserter(line_), "{}[{:x}]", printable(resolver.machine().dsos().at(frame.dso).short_name),
                   frame.address);
}

void ScriptFrames::format_inlined(Resolver& resolver, const Frame& frame) {
  for (const InlinedFunction& function : inlined_) {
    format_address(frame);
    if ((fields_ & script_field::Sym) != 0) {
      line_ += ' ';
      append_printable(line_, source_.table->text(function.name));
      if ((fields_ & script_field::SymOff) != 0)
        fmt::format_to(std::back_inserter(line_), "+0x{:x}", resolver.symbol_offset(frame));
    }
    if ((fields_ & script_field::SrcLine) != 0) format_source_line(resolver, frame, function.line);
    line_ += " (inlined)\n";
  }
}

void ScriptFrames::format_line(Resolver& resolver, const Frame& frame) {
  line_.clear();
  const bool with_line = (fields_ & script_field::SrcLine) != 0;
  SourceTextId line;
  if (source_.table != nullptr && source_.inlined) {
    line = source_.table->functions(frame, source_.place, inlined_);
    format_inlined(resolver, frame);
  } else if (source_.table != nullptr && with_line) {
    line = source_.table->line(frame, source_.place);
  }
  format_address(frame);
  if ((fields_ & script_field::Sym) != 0) {
    line_ += ' ';
    append_symbol(line_, resolver, frame, (fields_ & script_field::SymOff) != 0);
  }
  if ((fields_ & script_field::Dso) != 0) {
    line_ += " (";
    append_dso(line_, resolver, frame, (fields_ & script_field::DsoOff) != 0);
    line_ += ')';
  }
  if (source_.table != nullptr && with_line) format_source_line(resolver, frame, line);
  line_ += '\n';
}

void ScriptFrames::put_new(ScriptText& out, Resolver& resolver, FrameId id, u32 from) {
  const Frame& frame = resolver.at(id);
  if (!frame.dso) {
    out.room(64);
    if (from == 0) {
      out.put('\t');
      out.put_hex(frame.address, 16);
    }
    if ((fields_ & script_field::Sym) != 0) out.put(" [unknown]");
    if ((fields_ & script_field::Dso) != 0) out.put(" ([unknown])");
    if (from == 0) out.put('\n');
    return;
  }
  format_line(resolver, frame);
  if (lines_.size() < resolver.frame_count()) lines_.resize(resolver.frame_count() + resolver.frame_count() / 4);
  lines_[id.value] = Line{keep(line_), static_cast<u32>(line_.size())};
  const std::string_view wanted =
      from == 0 ? std::string_view(line_) : std::string_view(line_).substr(from, line_.size() - from - 1);
  out.room(wanted.size());
  out.put(wanted);
}

const char* ScriptFrames::keep(std::string_view text) {
  constexpr std::size_t kBlock = std::size_t{1} << 17;
  const std::size_t needed = text.size() + ScriptText::kSlack;
  if (block_left_ < needed) {
    block_left_ = std::max(kBlock, needed);
    blocks_.push_back(std::make_unique_for_overwrite<char[]>(block_left_));
    block_next_ = blocks_.back().get();
  }
  char* at = block_next_;
  std::memcpy(at, text.data(), text.size());
  block_next_ += text.size();
  block_left_ -= text.size();
  return at;
}

}  // namespace peregrine
