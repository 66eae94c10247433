// The columns of a sample for data addresses, data sources, latency and cgroup.
#include <algorithm>

#include "output/text/field/script_values.h"
#include "output/text/format/printable.h"
#include "output/text/script/script_sample.h"

namespace peregrine {
namespace {

namespace f = script_field;
constexpr std::size_t kAccessRoom = 512;  // bytes for the columns after a name

}  // namespace

void ScriptSample::learn_cgroup(const abi::CgroupRecord& cgroup) {
  cgroups_.insert_or_assign(cgroup.id, printable(cgroup.path));
}

void ScriptSample::put_address(ScriptText& out, const ReplaySample& replayed, const ScriptEvent& event,
                               Resolver& resolver) {
  const abi::Sample& sample = replayed.sample;
  if ((event.fields & f::Addr) != 0) {
    out.put_hex(sample.addr, 16);
    if (event.address_has_symbol) {
      const Frame& frame = frame_anywhere(resolver, replayed, sample.addr);
      words_.clear();
      if ((event.fields & f::Sym) != 0) {
        words_ += ' ';
        append_symbol(words_, resolver, frame, (event.fields & f::SymOff) != 0);
      }
      if ((event.fields & f::Dso) != 0) {
        words_ += " (";
        append_dso(words_, resolver, frame, (event.fields & f::DsoOff) != 0);
        words_ += ')';
      }
      out.room(words_.size() + kAccessRoom);
      out.put(words_);
    }
  }
  if ((event.fields & f::DataSrc) != 0) {  // padded to the widest so far
    const std::size_t before = out.size();
    put_data_source(out, sample.data_src);
    const std::size_t length = out.size() - before;
    data_source_width_ = std::max(data_source_width_, length);
    out.room(kAccessRoom);
    out.fill(' ', data_source_width_ - length);
  }
  if ((event.fields & f::Weight) != 0) out.put_decimal(sample.weight, 16);
  if ((event.fields & f::InsLat) != 0) out.put_decimal(sample.weight2, 16);
  if ((event.fields & f::RetireLat) != 0) out.put_decimal(sample.weight3, 16);
  if ((event.fields & f::Cgroup) != 0) {
    const auto path = cgroups_.find(sample.cgroup);
    const std::string_view shown = path == cgroups_.end() ? std::string_view("unknown") : path->second;
    out.room(shown.size() + kAccessRoom);
    out.put(' ');
    out.put(shown);
  }
}

}  // namespace peregrine
