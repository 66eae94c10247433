// Traffic of PCI root ports as events: four per port, counted together by the port's PMU.
//
// Encodings: Intel Xeon Processor Scalable Family Uncore Performance Monitoring, DATA_REQ_OF_CPU (0x83, requests from
// devices to the host) and DATA_REQ_BY_CPU (0xc0, from the host to devices); each count is four bytes.
#pragma once
#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "event/source.h"
#include "event/spec.h"
#include "sys/hardware/io_port.h"

namespace peregrine {

struct PortFigure {
  std::string_view title;  // linux-perf's column title; MB are 2^20 bytes
  std::string_view terms;
};
inline constexpr std::array kPortFigures{
    PortFigure{"Inbound Read(MB)", "event=0x83,umask=0x04,ch_mask=0xF,fc_mask=0x07"},
    PortFigure{"Inbound Write(MB)", "event=0x83,umask=0x01,ch_mask=0xF,fc_mask=0x07"},
    PortFigure{"Outbound Read(MB)", "event=0xc0,umask=0x04,ch_mask=0xF,fc_mask=0x07"},
    PortFigure{"Outbound Write(MB)", "event=0xc0,umask=0x01,ch_mask=0xF,fc_mask=0x07"},
};

// The `ports` listed in `words` ("0000:17,0:3a"), in that order without duplicates; all if `words` is empty. Missing
// ones go to `absent`. Errors (Usage): an invalid address, or all are missing.
Result<std::vector<IoPort>> choose_ports(std::span<const IoPort> ports, std::string_view words,
                                         std::vector<std::string>& absent);

// Appends kPortFigures events for each port, as a group. Errors: Unsupported, the PMU has other fields.
Result<> add_port_events(std::span<const IoPort> ports, EventSources& sources, EventList& list);

}  // namespace peregrine
