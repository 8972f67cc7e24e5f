/** The codec of whole numbers in the forms that tools send. */
import { type Codec, CodecError } from "../jsonrpc/codec.ts";
import { EscapedText } from "../jsonrpc/json-text.ts";

/** A whole number: a JSON number, a decimal text or a quantity, as the tools send it. */
export const wholeNumber: Codec<number> = {
  label: "number",
  schema: { oneOf: [{ type: "integer" }, { type: "string" }] },
  decode(json) {
    const value = json instanceof EscapedText ? json.value : json;
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
