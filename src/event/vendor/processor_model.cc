#include "event/vendor/processor_model.h"

#include <algorithm>
#include <optional>

#include "base/number/parse_number.h"
#include "base/text/trim.h"
#include "sys/hardware/cpu.h"

namespace peregrine {

namespace {

// Families and models from the vendors' manuals; tables by libpfm4's names.
struct ModelRow {
  unsigned family, first, last;
  std::string_view core, uncore;
  unsigned first_stepping = 0;
};

constexpr ModelRow kIntel[] = {
    {6, 0x0f, 0x0f, "core", ""},
    {6, 0x16, 0x17, "core", ""},
    {6, 0x1d, 0x1d, "core", ""},
    {6, 0x1c, 0x1c, "atom", ""},
    {6, 0x26, 0x27, "atom", ""},
    {6, 0x35, 0x36, "atom", ""},
    {6, 0x1a, 0x1a, "nhm", "nhm_unc"},
    {6, 0x1e, 0x1f, "nhm", "nhm_unc"},
    {6, 0x2e, 0x2e, "nhm_ex", ""},
    {6, 0x25, 0x25, "wsm", "wsm_unc"},
    {6, 0x2c, 0x2c, "wsm_dp", "wsm_unc"},
    {6, 0x2f, 0x2f, "wsm_dp", ""},
    {6, 0x2a, 0x2a, "snb", "snb_unc_"},
    {6, 0x2d, 0x2d, "snb_ep", "snbep_unc_"},
    {6, 0x3a, 0x3a, "ivb", "ivb_unc_"},
    {6, 0x3e, 0x3e, "ivb_ep", "ivbep_unc_"},
    {6, 0x3c, 0x3c, "hsw", ""},
    {6, 0x45, 0x46, "hsw", ""},
    {6, 0x3f, 0x3f, "hsw_ep", "hswep_unc_"},
    {6, 0x3d, 0x3d, "bdw", ""},
    {6, 0x47, 0x47, "bdw", ""},
    {6, 0x4f, 0x4f, "bdw_ep", "bdx_unc_"},
    {6, 0x56, 0x56, "bdw_ep", "bdx_unc_"},
    {6, 0x37, 0x37, "slm", ""},
    {6, 0x4c, 0x4d, "slm", ""},
    {6, 0x5a, 0x5a, "slm", ""},
    {6, 0x5d, 0x5d, "slm", ""},
    {6, 0x5c, 0x5c, "glm", ""},
    {6, 0x5f, 0x5f, "glm", ""},
    {6, 0x7a, 0x7a, "glm", ""},
    {6, 0x57, 0x57, "knl", "knl_unc_"},
    {6, 0x85, 0x85, "knm", "knm_unc_"},
    {6, 0x4e, 0x4e, "skl", ""},
    {6, 0x5e, 0x5e, "skl", ""},
    {6, 0x8e, 0x8e, "skl", ""},
    {6, 0x9e, 0x9e, "skl", ""},
    {6, 0xa5, 0xa6, "skl", ""},
    {6, 0x55, 0x55, "clx", "skx_unc_", 5},
    {6, 0x55, 0x55, "skx", "skx_unc_"},
    {6, 0x86, 0x86, "tmt", ""},
    {6, 0x96, 0x96, "tmt", ""},
    {6, 0x9c, 0x9c, "tmt", ""},
    {6, 0x7d, 0x7e, "icl", ""},
    {6, 0x8c, 0x8d, "icl", ""},
    {6, 0x9d, 0x9d, "icl", ""},
    {6, 0xa7, 0xa7, "icl", ""},
    {6, 0x6a, 0x6a, "icx", ""},
    {6, 0x6c, 0x6c, "icx", ""},
    {6, 0x8f, 0x8f, "spr", ""},
    {6, 0xcf, 0xcf, "spr", ""},
    {15, 0x00, 0x02, "netburst", ""},
    {15, 0x03, 0xff, "netburst_p", ""},
};

constexpr ModelRow kAmd[] = {
    {0x06, 0x00, 0xff, "amd64_k7", ""},
    {0x0f, 0x00, 0xff, "amd64_k8_revf", ""},
    {0x10, 0x00, 0x03, "amd64_fam10h_barcelona", ""},
    {0x10, 0x04, 0x07, "amd64_fam10h_shanghai", ""},
    {0x10, 0x08, 0xff, "amd64_fam10h_istanbul", ""},
    {0x11, 0x00, 0xff, "amd64_fam11h_turion", ""},
    {0x12, 0x00, 0xff, "amd64_fam12h_llano", ""},
    {0x14, 0x00, 0xff, "amd64_fam14h_bobcat", ""},
    {0x15, 0x00, 0xff, "amd64_fam15h_interlagos", ""},
    {0x16, 0x00, 0xff, "amd64_fam16h", ""},
    {0x17, 0x00, 0x2f, "amd64_fam17h_zen1", ""},
    {0x17, 0x30, 0xff, "amd64_fam17h_zen2", ""},
    {0x18, 0x00, 0xff, "amd64_fam17h_zen1", ""},  // Hygon Dhyana
    {0x19, 0x10, 0x1f, "amd64_fam19h_zen4", ""},
    {0x19, 0x60, 0xaf, "amd64_fam19h_zen4", ""},
    {0x19, 0x00, 0xff, "amd64_fam19h_zen3", "amd64_fam19h_zen3_"},
};

unsigned number(std::string_view text, int base) { return take_number<unsigned>(text, base).value_or(0); }

// Parses "VENDOR-FAMILY-MODEL-STEPPING", with hexadecimal model and stepping, or an Arm MIDR.
ProcessorModel parse_cpuid(std::string_view text) {
  ProcessorModel model;
  if (text.starts_with("0x")) {
    model.vendor = "arm";
    model.midr = static_cast<u32>(to_number(text).value_or(0));
    return model;
  }
  std::string_view parts[4];
  for (auto& part : parts) {
    part = text.substr(0, text.find('-'));
    text.remove_prefix(std::min(part.size() + 1, text.size()));
  }
  model.vendor = parts[0];
  model.family = number(parts[1], 10);
  model.model = number(parts[2], 16);
  model.stepping = number(parts[3], 16);
  return model;
}

// The value of the first "key : 0x…" line.
std::optional<u64> cpuinfo_number(std::string_view text, std::string_view key) {
  const auto at = text.find(key);
  if (at == std::string_view::npos) return std::nullopt;
  const auto line = text.substr(at, text.find('\n', at) - at);
  const auto colon = line.find(':');
  return colon == std::string_view::npos ? std::nullopt : to_number(trim(line.substr(colon + 1)));
}

}  // namespace

ProcessorModel processor_model(const Root& root, std::string_view cpuid) {
  if (!cpuid.empty()) return parse_cpuid(cpuid);
  const auto identity = cpu_identity(root);
  if (!identity.vendor.empty()) return {identity.vendor, identity.family, identity.model, identity.stepping, 0};
  ProcessorModel model;
  const auto text = root.read("/proc/cpuinfo");
  if (!text) return model;
  const auto implementer = cpuinfo_number(*text, "CPU implementer"), part = cpuinfo_number(*text, "CPU part");
  if (!implementer || !part) return model;
  model.vendor = "arm";
  model.midr = static_cast<u32>((*implementer & 0xff) << 24 | 0xf << 16 | (*part & 0xfff) << 4);
  return model;
}

ModelTables model_tables(const ProcessorModel& model) {
  const auto find = [&](const auto& rows) -> ModelTables {
    for (const auto& row : rows)
      if (row.family == model.family && row.first <= model.model && model.model <= row.last &&
          row.first_stepping <= model.stepping)
        return {row.core, row.uncore};
    return {};
  };
  if (model.vendor == "GenuineIntel") return find(kIntel);
  if (model.vendor == "AuthenticAMD" || model.vendor == "HygonGenuine") return find(kAmd);
  return {};
}

}  // namespace peregrine
