// The traffic of PCI root ports as events: four for each port, counted together by the unit that serves it.
//
// Encodings: Intel Xeon Processor Scalable Family Uncore Performance Monitoring, DATA_REQ_OF_CPU (0x83, what devices
// ask of the host) and DATA_REQ_BY_CPU (0xc0, what the host asks of devices); every count is four bytes.
#pragma once
#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "event/source.h"
#include "event/spec.h"
#include "sys/hardware/io_port.h"

namespace peregrine {

struct PortFigure {
  std::string_view title;  // as linux-perf heads its column; the MB are of 2^20 bytes
  std::string_view terms;
};
inline constexpr std::array kPortFigures{
    PortFigure{"Inbound Read(MB)", "event=0x83,umask=0x04,ch_mask=0xF,fc_mask=0x07"},
    PortFigure{"Inbound Write(MB)", "event=0x83,umask=0x01,ch_mask=0xF,fc_mask=0x07"},
    PortFigure{"Outbound Read(MB)", "event=0xc0,umask=0x04,ch_mask=0xF,fc_mask=0x07"},
    PortFigure{"Outbound Write(MB)", "event=0xc0,umask=0x01,ch_mask=0xF,fc_mask=0x07"},
};

// Those of `ports` that the words name ("0000:17,0:3a"), in the words' order, each once; all of them without words.
// What is not there goes into `absent`. Errors (Usage): a word that is no address, none of them is there.
Result<std::vector<IoPort>> choose_ports(std::span<const IoPort> ports, std::string_view words,
                                         std::vector<std::string>& absent);

// Appends kPortFigures of each port, a group each. Errors: Unsupported, the unit has other fields.
Result<> add_port_events(std::span<const IoPort> ports, EventSources& sources, EventList& list);

}  // namespace peregrine
