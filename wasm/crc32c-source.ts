/**
 * Writes the AssemblyScript source of CRC-32C (Castagnoli; RFC 3720, appendix B.4), sixteen bytes at a time by tables,
 * which the module makes when it is opened. `scripts/build-wasm.ts` compiles what comes out.
 *
 * The module exports `input()`, the address of 64 KiB, and `update(crc, length)`, the register after that many bytes
 * of them.
 */

const INPUT_BYTES = 65_536;
const POLYNOMIAL = "0x82f63b78";
const WIDTH = 16;
const ROW_BYTES = 1024;

/** What byte number `place` of a group does, which is the lowest of `word` shifted. */
function entry(place: number): string {
  const word = `w${place >> 2}`;
  const shift = 8 * (place & 3);
  const byte = shift === 24 ? `${word} >>> 24` : `${shift === 0 ? word : `${word} >>> ${shift}`} & 255`;
  return `load<u32>(TABLES + ((${byte}) << 2), ${(WIDTH - 1 - place) * ROW_BYTES})`;
}

/** The whole source. */
export function crc32cSource(): string {
  const places = Array.from({ length: WIDTH }, (_, place) => place);
  return `
const TABLES: usize = memory.data(${WIDTH * ROW_BYTES}, 16);
const IN: usize = memory.data(${INPUT_BYTES}, 16);

for (let byte: u32 = 0; byte < 256; byte++) {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ ${POLYNOMIAL} : crc >>> 1;
  store<u32>(TABLES + (byte << 2), crc);
}
for (let at: usize = TABLES + ${ROW_BYTES}; at < TABLES + ${WIDTH * ROW_BYTES}; at += 4) {
  const before = load<u32>(at - ${ROW_BYTES});
  store<u32>(at, load<u32>(TABLES + ((before & 255) << 2)) ^ (before >>> 8));
}

export function input(): usize { return IN; }

export function update(crc: u32, length: u32): u32 {
  let at = IN;
  const end = IN + length;
  for (; at + ${WIDTH} <= end; at += ${WIDTH}) {
    const w0 = crc ^ load<u32>(at), w1 = load<u32>(at, 4), w2 = load<u32>(at, 8), w3 = load<u32>(at, 12);
    crc = ${places.map(entry).join(" ^\n      ")};
  }
  for (; at < end; at++) crc = load<u32>(TABLES + (((crc ^ load<u8>(at)) & 255) << 2)) ^ (crc >>> 8);
  return crc;
}
`;
}
