/** The texts of published suites: hex with or without 0x, of any number of digits; some name their integers. */
import { fromBareHex } from "../../node/bytes/hex.ts";

/** Bytes; an odd number of digits has a zero before it. What is missing has none. */
export function suiteBytes(text = ""): Uint8Array {
  const digits = text.replace(/^0x/, "");
  return fromBareHex(digits.length % 2 === 0 ? digits : `0${digits}`);
}

/** An integer; no digits are zero. */
export function suiteInteger(text = ""): bigint {
  const digits = text.replace(/^0x:bigint /, "").replace(/^0x/, "");
  return digits === "" ? 0n : BigInt(`0x${digits}`);
}
