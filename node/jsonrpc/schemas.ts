/**
 * JSON schemas of codecs: the named ones, which the OpenRPC document contains once, and builders of others.
 */

/** A JSON schema. */
export type Schema = Readonly<Record<string, unknown>>;

const hexOf = (digits: number): string => `^0x[0-9a-fA-F]{${digits}}$`;

/** Schemas under `components` of the OpenRPC document, by name. */
export const namedSchemas = {
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
} as const satisfies Readonly<Record<string, Schema>>;

/** References to the named schemas, one object each: they can be compared by identity. */
export const schemaRefs = Object.fromEntries(
  Object.keys(namedSchemas).map((name) => [name, { $ref: `#/components/schemas/${name}` }]),
) as unknown as Readonly<Record<keyof typeof namedSchemas, Schema>>; // one for each name

/** Returns the schema of an object with optional members; without `members` any are allowed. */
export function objectSchema(
  title: string,
  members?: Readonly<Record<string, { readonly schema: Schema }>>,
): Schema {
  if (members === undefined) return { title, type: "object" };
  const properties = Object.entries(members).map(([key, { schema }]) => [key, schema]);
  return { title, type: "object", properties: Object.fromEntries(properties) };
}

/** Returns the schema of an object with arbitrary keys. */
export function mapSchema(title: string, values: Schema): Schema {
  return { title, type: "object", additionalProperties: values };
}

/** Returns the schema of a list. */
export function arraySchema(items: Schema): Schema {
  return { type: "array", items };
}

/** Returns the schema of a value that may be null. */
export function nullableSchema(schema: Schema): Schema {
  return { oneOf: [schema, { type: "null" }] };
}
