// Packed columns, as analysis/timeline/packed_columns.h describes them.

class ColumnReader {
  constructor(bytes) {
    this.bytes = bytes;
    this.at = 0;
  }
  number() {
    let value = 0, scale = 1, byte;
    do {
      byte = this.at < this.bytes.length ? this.bytes[this.at++] : 0;
      value += (byte & 127) * scale;
      scale *= 128;
    } while (byte >= 128);
    return value;
  }
  skipColumn() {
    const size = this.number();
    this.at += size;
  }
  // Fills `into` with the values of the next column. `steps`: they are differences.
  column(into, steps) {
    const bytes = this.bytes, end = this.number() + this.at, count = into.length;
    let at = this.at, last = 0;
    for (let i = 0; i < count && at < end; ++i) {
      let byte = bytes[at++], value = byte & 127;
      if (byte > 127) {
        byte = bytes[at++];
        value |= (byte & 127) << 7;
        if (byte > 127) {
          byte = bytes[at++];
          value |= (byte & 127) << 14;
          for (let scale = 2097152; byte > 127; scale *= 128) {
            byte = bytes[at++];
            value += (byte & 127) * scale;
          }
        }
      }
      if (!steps) into[i] = value;
      else into[i] = last += value < 2147483648 ? (value >>> 1) ^ -(value & 1) : value % 2 === 1 ? -(value + 1) / 2 : value / 2;
    }
    this.at = end;
    return into;
  }
}
