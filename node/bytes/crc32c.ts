/** CRC-32C (Castagnoli; RFC 3720, appendix B.4), eight bytes at a time by tables. */
const POLYNOMIAL = 0x82f63b78;
const WIDTH = 8;

/** Row by row: what a byte does that stands so many places before the end of its group. */
const tables = makeTables();

/** The sum of `bytes`. */
export function crc32c(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  let at = 0;
  for (const end = bytes.length - WIDTH; at <= end; at += WIDTH) {
    const low = crc ^ wordAt(bytes, at);
    const high = wordAt(bytes, at + 4);
    crc =
      entry(7, low) ^
      entry(6, low >>> 8) ^
      entry(5, low >>> 16) ^
      entry(4, low >>> 24) ^
      entry(3, high) ^
      entry(2, high >>> 8) ^
      entry(1, high >>> 16) ^
      entry(0, high >>> 24);
  }
  for (; at < bytes.length; at++) crc = entry(0, crc ^ (bytes[at] as number)) ^ (crc >>> 8); // in range
  return ~crc >>> 0;
}

function entry(row: number, byte: number): number {
  return tables[row * 256 + (byte & 255)] as number; // in range
}

function wordAt(bytes: Uint8Array, at: number): number {
  // in range: the caller has counted
  return (
    (bytes[at] as number) |
    ((bytes[at + 1] as number) << 8) |
    ((bytes[at + 2] as number) << 16) |
    ((bytes[at + 3] as number) << 24)
  );
}

function makeTables(): Int32Array {
  const rows = new Int32Array(WIDTH * 256);
  for (let byte = 0; byte < 256; byte++) {
    let crc = byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ POLYNOMIAL : crc >>> 1;
    rows[byte] = crc;
  }
  for (let i = 256; i < rows.length; i++) {
    const before = rows[i - 256] as number; // in range
    rows[i] = (rows[before & 255] as number) ^ (before >>> 8);
  }
  return rows;
}
