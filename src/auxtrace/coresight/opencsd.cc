// For builds with OpenCSD's headers; without_opencsd.cc is for the others.
#include <opencsd/c_api/opencsd_c_api.h>

#include <algorithm>
#include <cstddef>
#include <expected>
#include <memory>
#include <span>
#include <utility>

#include "auxtrace/coresight/etm_decoder.h"
#include "base/bytes.h"
#include "base/result.h"
#include "base/types.h"
#include "insn/shared_library.h"

// Provided by LeakSanitizer in builds that use it.
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)
extern "C" {
__attribute__((weak)) void __lsan_disable();
__attribute__((weak)) void __lsan_enable();
}
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)

namespace peregrine::auxtrace {
namespace {

struct Functions {
  SharedLibrary library;
  decltype(ocsd_create_dcd_tree)* create_tree = nullptr;
  decltype(ocsd_destroy_dcd_tree)* destroy_tree = nullptr;
  decltype(ocsd_dt_create_decoder)* create_decoder = nullptr;
  decltype(ocsd_dt_set_gen_elem_outfn)* set_output = nullptr;
  decltype(ocsd_dt_add_callback_trcid_mem_acc)* add_memory = nullptr;
  decltype(ocsd_dt_process_data)* process = nullptr;

  static Result<Functions> load() {
    auto library = SharedLibrary::open("libopencsd_c_api.so.1", "libopencsd1");
    if (!library) {
      return std::unexpected(Error{ErrorKind::Unsupported,
                                   "cannot decode CoreSight ETM traces: " + library.error().message,
                                   "install OpenCSD (Debian: apt install libopencsd1)"});
    }
    Functions functions{.library = std::move(*library)};
    PEREGRINE_TRY(functions.library.find("ocsd_create_dcd_tree", functions.create_tree));
    PEREGRINE_TRY(functions.library.find("ocsd_destroy_dcd_tree", functions.destroy_tree));
    PEREGRINE_TRY(functions.library.find("ocsd_dt_create_decoder", functions.create_decoder));
    PEREGRINE_TRY(functions.library.find("ocsd_dt_set_gen_elem_outfn", functions.set_output));
    PEREGRINE_TRY(functions.library.find("ocsd_dt_add_callback_trcid_mem_acc", functions.add_memory));
    PEREGRINE_TRY(functions.library.find("ocsd_dt_process_data", functions.process));
    return functions;
  }
};

EtmBranch branch_of(const ocsd_generic_trace_elem& element) {
  if (element.last_i_type != OCSD_INSTR_BR && element.last_i_type != OCSD_INSTR_BR_INDIRECT) return EtmBranch::None;
  switch (element.last_i_subtype) {
    case OCSD_S_INSTR_BR_LINK:
      return EtmBranch::Call;
    case OCSD_S_INSTR_V8_RET:
    case OCSD_S_INSTR_V7_IMPLIED_RET:
      return EtmBranch::Return;
    case OCSD_S_INSTR_V8_ERET:
      return EtmBranch::ExceptionReturn;
    default:
      break;
  }
  if (element.last_instr_cond != 0) return EtmBranch::Conditional;
  return element.last_i_type == OCSD_INSTR_BR ? EtmBranch::Direct : EtmBranch::Indirect;
}

class OpenCsd final : public EtmDecoder {
 public:
  OpenCsd(Functions functions, EtmSink& sink) : functions_(std::move(functions)), sink_(sink) {}
  ~OpenCsd() override {
    if (tree_ != nullptr) functions_.destroy_tree(tree_);
  }
  OpenCsd(const OpenCsd&) = delete;
  OpenCsd& operator=(const OpenCsd&) = delete;

  Result<> build(std::span<const EtmRegisters> processors, bool formatted) {
    tree_ = functions_.create_tree(formatted ? OCSD_TRC_SRC_FRAME_FORMATTED : OCSD_TRC_SRC_SINGLE,
                                   formatted ? OCSD_DFRMTR_FRAME_MEM_ALIGN : 0);
    if (tree_ == nullptr) return fail(ErrorKind::System, "OpenCSD failed to create a decoder");
    for (const EtmRegisters& registers : processors) {
      if (!add(registers))
        return fail(ErrorKind::Malformed, "OpenCSD rejected the registers of the trace unit with trace ID {:#x}",
                    registers.trace_id);
    }
    // OpenCSD 1.3.3 never frees what it allocates here.
    if (__lsan_disable != nullptr) __lsan_disable();
    functions_.set_output(tree_, &OpenCsd::take, this);
    if (__lsan_enable != nullptr) __lsan_enable();
    functions_.add_memory(tree_, 0, ~u64{0}, OCSD_MEM_SPACE_ANY, &OpenCsd::read, this);
    return {};
  }

  void begin() override {
    damaged_ = OCSD_DATA_RESP_IS_FATAL(functions_.process(tree_, OCSD_OP_RESET, 0, 0, nullptr, nullptr));
    at_ = 0;
  }

  bool decode(Bytes part) override {
    ocsd_datapath_resp_t response = OCSD_RESP_CONT;
    // OpenCSD may ask to wait when its output is full; then it takes no data until it has been flushed.
    while (!damaged_ && !part.empty()) {
      u32 used = 0;
      if (OCSD_DATA_RESP_IS_WAIT(response)) {
        response = functions_.process(tree_, OCSD_OP_FLUSH, 0, 0, nullptr, nullptr);
      } else {
        response = functions_.process(tree_, OCSD_OP_DATA, at_, static_cast<u32>(part.size()),
                                      reinterpret_cast<const u8*>(part.data()), &used);
        damaged_ = used == 0 && !OCSD_DATA_RESP_IS_WAIT(response);
      }
      damaged_ |= OCSD_DATA_RESP_IS_FATAL(response);
      at_ += used;
      part = part.subspan(std::min<std::size_t>(used, part.size()));
    }
    return !damaged_;
  }

  void end() override {
    if (!damaged_) functions_.process(tree_, OCSD_OP_EOT, 0, 0, nullptr, nullptr);
  }

 private:
  bool add(const EtmRegisters& registers) {
    constexpr u32 kContextInVmid = 1u << 15;  // TRCCONFIGR.VMIDOPT, set by kernels that run at EL2
    vmid_is_context_ |= (registers.config & kContextInVmid) != 0;
    u8 id = 0;
    if (registers.ete) {
      ocsd_ete_cfg config{};
      fill(registers, config);
      config.reg_devarch = registers.devarch;
      return functions_.create_decoder(tree_, OCSD_BUILTIN_DCD_ETE, OCSD_CREATE_FLG_FULL_DECODER, &config, &id) ==
             OCSD_OK;
    }
    ocsd_etmv4_cfg config{};
    fill(registers, config);
    return functions_.create_decoder(tree_, OCSD_BUILTIN_DCD_ETMV4I, OCSD_CREATE_FLG_FULL_DECODER, &config, &id) ==
           OCSD_OK;
  }

  // Later architectures only add branch instructions, so decoding with a later one is safe.
  template <class Config>
  static void fill(const EtmRegisters& registers, Config& config) {
    config.reg_idr0 = registers.idr0;
    config.reg_idr1 = registers.idr1;
    config.reg_idr2 = registers.idr2;
    config.reg_idr8 = registers.idr8;
    config.reg_configr = registers.config;
    config.reg_traceidr = registers.trace_id;
    config.arch_ver = ARCH_AA64;
    config.core_prof = profile_CortexA;
  }

  static ocsd_datapath_resp_t take(const void* context, const ocsd_trc_index_t, const u8 id,
                                   const ocsd_generic_trace_elem* element) {
    auto* const self = static_cast<OpenCsd*>(const_cast<void*>(context));
    self->take(id, *element);
    return OCSD_RESP_CONT;
  }

  void take(u8 id, const ocsd_generic_trace_elem& element) {
    switch (element.elem_type) {
      case OCSD_GEN_TRC_ELEM_INSTR_RANGE:
        return sink_.range(id, {.start = element.st_addr,
                                .end = element.en_addr,
                                .instructions = element.num_instr_range,
                                .last_size = static_cast<u8>(element.last_instr_sz),
                                .branch = branch_of(element),
                                .taken = element.last_instr_exec != 0 && branch_of(element) != EtmBranch::None,
                                .thumb = element.isa == ocsd_isa_thumb2});
      case OCSD_GEN_TRC_ELEM_EXCEPTION:
        return sink_.exception(id, element.exception_number);
      case OCSD_GEN_TRC_ELEM_PE_CONTEXT:
        if (vmid_is_context_ && element.context.vmid_valid != 0) return sink_.context(id, element.context.vmid);
        if (element.context.ctxt_id_valid != 0) sink_.context(id, element.context.context_id);
        return;
      case OCSD_GEN_TRC_ELEM_NO_SYNC:
      case OCSD_GEN_TRC_ELEM_TRACE_ON:
      case OCSD_GEN_TRC_ELEM_ADDR_NACC:
      case OCSD_GEN_TRC_ELEM_ADDR_UNKNOWN:
        return sink_.gap(id);
      default:
        return;
    }
  }

  static u32 read(const void* context, const ocsd_vaddr_t address, const ocsd_mem_space_acc_t, const u8 id,
                  const u32 size, u8* out) {
    auto* const self = static_cast<OpenCsd*>(const_cast<void*>(context));
    return static_cast<u32>(self->sink_.read_code(id, address, {reinterpret_cast<std::byte*>(out), size}));
  }

  Functions functions_;
  EtmSink& sink_;
  dcd_tree_handle_t tree_ = nullptr;
  u64 at_ = 0;
  bool damaged_ = false;
  bool vmid_is_context_ = false;
};

}  // namespace

Result<> EtmDecoder::check() {
  const auto functions = Functions::load();
  return functions ? Result<>() : std::unexpected(functions.error());
}

Result<std::unique_ptr<EtmDecoder>> EtmDecoder::open(std::span<const EtmRegisters> processors, bool formatted,
                                                     EtmSink& sink) {
  auto functions = Functions::load();
  if (!functions) return std::unexpected(std::move(functions.error()));
  auto decoder = std::make_unique<OpenCsd>(std::move(*functions), sink);
  PEREGRINE_TRY(decoder->build(processors, formatted));
  return decoder;
}

}  // namespace peregrine::auxtrace
