/** CRC-32C (Castagnoli; RFC 3720, appendix B.4), eight bytes at a time by tables ("slicing by 8"). */

/** 0x1edc6f41 with its bits in reverse. */
const POLYNOMIAL = 0x82f63b78;
const WIDTH = 8;
const ROW = 256;
/** Row n holds the effect of a byte on the register n bytes later. */
const TABLES = createTables();

function createTables(): Uint32Array {
  const tables = new Uint32Array(WIDTH * ROW);
  for (let byte = 0; byte < ROW; byte++) {
    let crc = byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc & 1) === 1 ? (crc >>> 1) ^ POLYNOMIAL : crc >>> 1;
    tables[byte] = crc;
  }
  for (let at = ROW; at < tables.length; at++) {
    const before = tables[at - ROW] as number;
    tables[at] = (tables[before & 255] as number) ^ (before >>> 8);
  }
  return tables;
}

/** Returns the checksum of `bytes`. */
export function crc32c(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  let at = 0;
  // Indices stay within the tables and the bytes.
  for (; at + WIDTH <= bytes.length; at += WIDTH) {
    const b3 = bytes[at + 3] as number;
    crc ^=
      (bytes[at] as number) |
      ((bytes[at + 1] as number) << 8) |
      ((bytes[at + 2] as number) << 16) |
      (b3 << 24);
    crc =
      (TABLES[7 * ROW + (crc & 255)] as number) ^
      (TABLES[6 * ROW + ((crc >>> 8) & 255)] as number) ^
      (TABLES[5 * ROW + ((crc >>> 16) & 255)] as number) ^
      (TABLES[4 * ROW + (crc >>> 24)] as number) ^
      (TABLES[3 * ROW + (bytes[at + 4] as number)] as number) ^
      (TABLES[2 * ROW + (bytes[at + 5] as number)] as number) ^
      (TABLES[ROW + (bytes[at + 6] as number)] as number) ^
      (TABLES[bytes[at + 7] as number] as number);
  }
  for (; at < bytes.length; at++) {
    crc = (TABLES[(crc ^ (bytes[at] as number)) & 255] as number) ^ (crc >>> 8);
  }
  return ~crc >>> 0;
}
