#include "event/tracepoint/tracing_data.h"

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <expected>
#include <string_view>
#include <utility>

#include "base/types.h"
#include "event/tracepoint/tracing_parts.h"
#include "sys/kernel/tracefs.h"

namespace peregrine {

namespace {

constexpr u32 kMostSystems = 1u << 16, kMostEvents = 1u << 20;

class BlobReader {
 public:
  explicit BlobReader(Bytes bytes, ByteOrder order = kHostOrder) : reader_(bytes, order) {}

  ByteReader& raw() { return reader_; }
  bool ok() const { return reader_.ok(); }

  // A NUL-terminated string.
  std::string string() { return std::string(reader_.terminated_text()); }
  std::string text(u64 size) {
    if (size > reader_.left()) {
      reader_.skip(reader_.left() + 1);
      return {};
    }
    const Bytes raw = reader_.take(static_cast<std::size_t>(size));
    return {reinterpret_cast<const char*>(raw.data()), raw.size()};
  }
  std::string sized_text() { return text(reader_.get64()); }

 private:
  ByteReader reader_;
};

void put_text(ByteWriter& out, std::string_view text) {
  out.put64(text.size());
  out.append(text);
}

void put_string(ByteWriter& out, std::string_view text) {
  out.append(text);
  out.put8(0);
}

// Skips formats that do not parse: their events appear as unknown tracepoints.
void parse_formats(TracingData& data) {
  const auto add = [&](std::string_view system, const std::string& text) {
    if (auto format = parse_trace_format(system, text)) data.formats.push_back(std::move(*format));
  };
  for (const auto& text : data.ftrace_formats) add("ftrace", text);
  for (const auto& system : data.systems)
    for (const auto& text : system.formats) add(system.name, text);
  std::sort(data.formats.begin(), data.formats.end(),
            [](const TraceFormat& a, const TraceFormat& b) { return a.id < b.id; });
}

Result<> decode_systems(BlobReader& in, TracingData& data) {
  const u32 systems = in.raw().get32();
  if (systems > kMostSystems) return fail(ErrorKind::Malformed, "tracing data: too many systems ({})", systems);
  for (u32 i = 0; i < systems && in.ok(); ++i) {
    TracingData::System system;
    system.name = in.string();
    const u32 events = in.raw().get32();
    if (events > kMostEvents)
      return fail(ErrorKind::Malformed, "tracing data: too many events ({}) in {}", events, system.name);
    for (u32 k = 0; k < events && in.ok(); ++k) system.formats.push_back(in.sized_text());
    data.systems.push_back(std::move(system));
  }
  return {};
}

}  // namespace

const TraceFormat* TracingData::find(u32 id) const {
  const auto at = std::lower_bound(formats.begin(), formats.end(), id,
                                   [](const TraceFormat& format, u32 wanted) { return format.id < wanted; });
  return at != formats.end() && at->id == id ? &*at : nullptr;
}

Result<TracingData> decode_tracing_data(Bytes bytes) {
  auto start = decode_tracing_start(bytes);
  if (!start) return std::unexpected(std::move(start.error()));
  return std::move(start->data);
}

Result<TracingStart> decode_tracing_start(Bytes bytes) {
  TracingStart found;
  TracingData& data = found.data;
  if (bytes.size() < kTracingMagic.size() || std::memcmp(bytes.data(), kTracingMagic.data(), kTracingMagic.size()) != 0)
    return fail(ErrorKind::Malformed, "tracing data: missing magic");
  BlobReader start(bytes.subspan(kTracingMagic.size()));
  data.version = start.string();
  data.order = start.raw().get8() != 0 ? ByteOrder::Big : ByteOrder::Little;
  data.long_size = start.raw().get8();
  if (!start.ok()) return fail(ErrorKind::Malformed, "tracing data: truncated header");
  BlobReader in(start.raw().rest(), data.order);
  data.page_size = in.raw().get32();
  for (auto [name, place] :
       {std::pair{"header_page", &data.header_page}, std::pair{"header_event", &data.header_event}}) {
    if (in.string() != name) return fail(ErrorKind::Malformed, "tracing data: missing {}", name);
    *place = in.sized_text();
  }
  const u32 ftrace = in.raw().get32();
  if (ftrace > kMostEvents) return fail(ErrorKind::Malformed, "tracing data: too many ftrace formats ({})", ftrace);
  for (u32 i = 0; i < ftrace && in.ok(); ++i) data.ftrace_formats.push_back(in.sized_text());
  PEREGRINE_TRY(decode_systems(in, data));
  data.kallsyms = in.text(in.raw().get32());
  data.printk_formats = in.text(in.raw().get32());
  if (!in.ok()) return fail(ErrorKind::Malformed, "tracing data: a size exceeds the data");
  if (data.version >= "0.6" && in.raw().left() >= 8) data.saved_cmdlines = in.sized_text();
  found.size = bytes.size() - in.raw().left();
  parse_formats(data);
  return found;
}

void put_tracing_opening(std::string_view version, u8 long_size, u32 page_size, ByteWriter& out) {
  out.append(kTracingMagic);
  put_string(out, version);
  out.put8(out.order() == ByteOrder::Big).put8(long_size).put32(page_size);
}

std::array<std::vector<std::byte>, 6> encode_tracing_parts(const TracingData& data) {
  std::array<std::vector<std::byte>, 6> parts;
  std::size_t part = 0;
  ByteWriter out(data.order);
  const auto end_part = [&] {
    parts[part++] = out.take();
    out.clear();
  };
  put_string(out, "header_page");
  put_text(out, data.header_page);
  put_string(out, "header_event");
  put_text(out, data.header_event);
  end_part();
  out.put32(static_cast<u32>(data.ftrace_formats.size()));
  for (const auto& text : data.ftrace_formats) put_text(out, text);
  end_part();
  out.put32(static_cast<u32>(data.systems.size()));
  for (const auto& system : data.systems) {
    put_string(out, system.name);
    out.put32(static_cast<u32>(system.formats.size()));
    for (const auto& text : system.formats) put_text(out, text);
  }
  end_part();
  out.put32(static_cast<u32>(data.kallsyms.size())).append(data.kallsyms);
  end_part();
  out.put32(static_cast<u32>(data.printk_formats.size())).append(data.printk_formats);
  end_part();
  put_text(out, data.saved_cmdlines);
  end_part();
  return parts;
}

std::vector<std::byte> encode_tracing_data(const TracingData& data) {
  ByteWriter out(data.order);
  put_tracing_opening(data.version, data.long_size, data.page_size, out);
  auto parts = encode_tracing_parts(data);
  if (data.version < "0.6") parts.back().clear();
  for (const auto& part : parts) out.append(Bytes(part));
  return out.take();
}

Result<TracingData> gather_tracing_data(EventSources& sources, const EventList& list) {
  const auto found = sources.tracefs();
  if (!found) return std::unexpected(found.error());
  const Tracefs& tracefs = **found;
  TracingData data;
  data.long_size = sizeof(long);
  data.page_size = static_cast<u32>(::sysconf(_SC_PAGESIZE));
  for (auto [name, place] :
       {std::pair{"header_page", &data.header_page}, std::pair{"header_event", &data.header_event}}) {
    auto text = tracefs.events_file(name);
    if (!text) return std::unexpected(text.error());
    *place = std::move(*text);
  }
  const auto wanted = [&](std::string_view system, std::string_view event) {
    return std::any_of(list.begin(), list.end(), [&](const EventSpec& spec) {
      return spec.is_tracepoint() && spec.system == system && (event.empty() || spec.tracepoint == event);
    });
  };
  for (const auto& name : tracefs.systems()) {
    if (!wanted(name, "")) continue;
    TracingData::System system{name, {}};
    for (const auto& event : tracefs.events(name)) {
      if (!wanted(name, event)) continue;
      auto text = tracefs.format(name, event);
      if (!text) return std::unexpected(text.error());
      (name == "ftrace" ? data.ftrace_formats : system.formats).push_back(std::move(*text));
    }
    if (name != "ftrace") data.systems.push_back(std::move(system));
  }
  data.printk_formats = tracefs.file("printk_formats").value_or("");
  data.saved_cmdlines = tracefs.file("saved_cmdlines").value_or("");
  parse_formats(data);
  return data;
}

}  // namespace peregrine
