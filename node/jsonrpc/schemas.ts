/** JSON schemas of what parameters and results look like, found by the labels of their codecs. */
import type { Decoder } from "./codec.ts";

/** A JSON schema. */
export type Schema = Readonly<Record<string, unknown>>;

const hexOf = (digits: number): string => `^0x[0-9a-fA-F]{${digits}}$`;

/** Schemas that others refer to, by label: `blockNumber` is that of `block number`. */
export const namedSchemas: Readonly<Record<string, Schema>> = {
  quantity: {
    type: "string",
    pattern: "^0x(0|[1-9a-f][0-9a-f]*)$",
    description: "A number in hex without leading zeros.",
  },
  data: { type: "string", pattern: "^0x([0-9a-fA-F]{2})*$", description: "Bytes, two hex digits each." },
  address: { type: "string", pattern: hexOf(40), description: "An account's 20 bytes." },
  hash: { type: "string", pattern: hexOf(64), description: "32 bytes." },
  transactionHash: { type: "string", pattern: hexOf(64), description: "keccak-256 of a transaction." },
  blockNumber: {
    description: "A block's number or a tag.",
    oneOf: [
      { type: "string", pattern: "^0x(0|[1-9a-f][0-9a-f]*)$" },
      { type: "integer", minimum: 0 },
      { enum: ["latest", "earliest", "pending", "safe", "finalized"] },
    ],
  },
  block: {
    description: "A block by number, tag, hash, or an object that holds one of them.",
    oneOf: [
      { $ref: "#/components/schemas/blockNumber" },
      { type: "string", pattern: hexOf(64) },
      {
        type: "object",
        properties: { blockNumber: { $ref: "#/components/schemas/blockNumber" } },
        required: ["blockNumber"],
      },
      {
        type: "object",
        properties: {
          blockHash: { type: "string", pattern: hexOf(64) },
          requireCanonical: { type: "boolean" },
        },
        required: ["blockHash"],
      },
    ],
  },
};

const PLAIN: Readonly<Record<string, Schema>> = {
  boolean: { type: "boolean" },
  text: { type: "string" },
  integer: { type: "integer" },
  null: { type: "null" },
  object: { type: "object" },
  any: {},
};

/** The schema of a parameter. */
export function parameterSchema({ label, members }: Decoder<unknown>): Schema {
  if (members === undefined) return labelSchema(label);
  const properties = Object.entries(members).map(([key, codec]) => [key, parameterSchema(codec)]);
  return { title: bare(label), type: "object", properties: Object.fromEntries(properties) };
}

/** The schema of a result. What is a word of its own, such as `receipt`, is an object under that title. */
export function resultSchema(label: string): Schema {
  return label === "block" ? words(label) : labelSchema(label); // not a reference to one
}

function labelSchema(label: string): Schema {
  const inner = bare(label);
  if (inner !== label) return labelSchema(inner);
  const id = label.replace(/ [a-z]/g, (next) => next.slice(1).toUpperCase());
  if (Object.hasOwn(namedSchemas, id)) return { $ref: `#/components/schemas/${id}` };
  return PLAIN[label] ?? words(label);
}

function words(label: string): Schema {
  if (label.endsWith(" or null"))
    return { oneOf: [resultSchema(label.slice(0, -" or null".length)), { type: "null" }] };
  if (label.endsWith("[]")) return { type: "array", items: resultSchema(label.slice(0, -2)) };
  return { title: label };
}

/** A label without the mark of what may be left out. */
function bare(label: string): string {
  return label.endsWith("?") ? label.slice(0, -1) : label;
}
