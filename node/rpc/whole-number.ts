/** Codecs of whole numbers in the forms that tools send. */
import { type Codec, CodecError } from "../jsonrpc/codec.ts";
import { plainValue } from "../jsonrpc/json-text.ts";

/** A whole number: a JSON number, a decimal text or a quantity, as the tools send it. */
export const wholeNumber: Codec<number> = {
  label: "number",
  schema: { oneOf: [{ type: "integer" }, { type: "string" }] },
  decode(json) {
    const value = plainValue(json);
    const text = typeof value === "number" ? String(value) : value;
    if (
      typeof text !== "string" ||
      !/^(\d+|0x[0-9a-fA-F]+)$/.test(text) ||
      !Number.isSafeInteger(Number(text))
    )
      throw new CodecError("want a whole number, as a number or a quantity");
    return Number(text);
  },
  encode: (value) => String(value),
};

const MAX_BITS = 256;

/** An amount of up to 256 bits: a quantity, also with leading zeros, a decimal text or a JSON number. */
export const wholeAmount: Codec<bigint> = {
  label: "quantity",
  schema: wholeNumber.schema,
  decode(json) {
    const given = plainValue(json);
    const value = typeof given === "number" ? exactInteger(given) : given;
    if (typeof value !== "string" || value.length > MAX_TEXT || !/^(\d+|0x[0-9a-fA-F]*)$/.test(value))
      throw new CodecError("want a whole number, as a quantity, a decimal text or a number");
    const amount = value === "0x" ? 0n : BigInt(value);
    if (amount >> BigInt(MAX_BITS) !== 0n) throw new CodecError(`a number of more than ${MAX_BITS} bits`);
    return amount;
  },
  encode: (value) => `"0x${value.toString(16)}"`,
};

/** Characters of an amount: no text of 256 bits needs more, leading zeros aside. */
const MAX_TEXT = 128;

/** Returns a JSON number as text. Throws `CodecError` for one whose digits may have been lost. */
function exactInteger(value: number): string {
  const text = String(value);
  if (Number.isSafeInteger(value) || (Number.isInteger(value) && BigInt(value).toString() === text))
    return text;
  if (Number.isInteger(value)) throw new CodecError("a JSON number this large loses digits: send it as text");
  return text;
}
