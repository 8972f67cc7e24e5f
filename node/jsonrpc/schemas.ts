/**
 * JSON schemas of parameters and results: builders, and the named ones, which the OpenRPC document contains once under
 * `components`. A named schema is built when a document needs it.
 */

/** A JSON schema. */
export type Schema = Readonly<Record<string, unknown>>;

interface Definition {
  readonly name: string;
  readonly build: (self: Schema) => Schema;
}

/** Definitions by the references to them. */
const definitions = new WeakMap<Schema, Definition>();

/**
 * Returns the reference to a schema under `components` of the OpenRPC document, one object, which can be compared by
 * identity. `build` receives that reference, for a schema that contains itself.
 */
export function namedSchema(name: string, build: Definition["build"]): Schema {
  const self = { $ref: `#/components/schemas/${name}` };
  definitions.set(self, { name, build });
  return self;
}

/**
 * Returns the named schemas that a value refers to, also through one another, by name in ascending order. Throws when
 * two have one name.
 */
export function referencedSchemas(value: unknown): Readonly<Record<string, Schema>> {
  const references = new Map<string, Schema>();
  const schemas: [string, Schema][] = [];
  const visit = (part: unknown): void => {
    if (typeof part !== "object" || part === null) return;
    const reference = part as Schema; // any object can be looked up
    const definition = definitions.get(reference);
    if (definition === undefined) {
      for (const inner of Object.values(part)) visit(inner);
      return;
    }
    const { name, build } = definition;
    const known = references.get(name);
    if (known === reference) return;
    if (known !== undefined) throw new Error(`two schemas have the name ${name}`);
    references.set(name, reference);
    const schema = build(reference);
    schemas.push([name, schema]);
    visit(schema);
  };
  visit(value);
  return Object.fromEntries(schemas.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** Schemas of plain JSON. */
export const plainSchemas = {
  text: { type: "string" },
  boolean: { type: "boolean" },
  integer: { type: "integer" },
  number: { type: "number" },
  nothing: { type: "null" },
} as const satisfies Readonly<Record<string, Schema>>;

const hexOf = (digits: number): string => `^0x[0-9a-fA-F]{${digits}}$`;
const QUANTITY = "^0x(0|[1-9a-f][0-9a-f]*)$";

const blockNumber = namedSchema("blockNumber", () => ({
  description: "A block's number or a tag.",
  oneOf: [
    { type: "string", pattern: QUANTITY },
    { type: "integer", minimum: 0 },
    { enum: ["latest", "earliest", "pending", "safe", "finalized"] },
  ],
}));

/** References to the schemas of hex and blocks. */
export const schemaRefs = {
  quantity: namedSchema("quantity", () => ({
    type: "string",
    pattern: QUANTITY,
    description: "A number in hex without leading zeros.",
  })),
  data: namedSchema("data", () => ({
    type: "string",
    pattern: "^0x([0-9a-fA-F]{2})*$",
    description: "Bytes, two hex digits each.",
  })),
  address: namedSchema("address", () => ({
    type: "string",
    pattern: hexOf(40),
    description: "An account's 20 bytes.",
  })),
  hash: namedSchema("hash", () => ({ type: "string", pattern: hexOf(64), description: "32 bytes." })),
  transactionHash: namedSchema("transactionHash", () => ({
    type: "string",
    pattern: hexOf(64),
    description: "keccak-256 of a transaction.",
  })),
  blockNumber,
  block: namedSchema("block", () => ({
    description: "A block by number, tag, hash, or an object that holds one of them.",
    oneOf: [
      blockNumber,
      { type: "string", pattern: hexOf(64) },
      { type: "object", properties: { blockNumber }, required: ["blockNumber"] },
      {
        type: "object",
        properties: {
          blockHash: { type: "string", pattern: hexOf(64) },
          requireCanonical: { type: "boolean" },
        },
        required: ["blockHash"],
      },
    ],
  })),
  /** Of a value that others decide: no schema says more. */
  anyValue: namedSchema("anyValue", () => ({ description: "Any JSON value." })),
};

/** Returns the schema of an argument object, whose members are optional; without `members` any are allowed. */
export function objectSchema(
  title: string,
  members?: Readonly<Record<string, { readonly schema: Schema }>>,
): Schema {
  if (members === undefined) return { title, type: "object" };
  const properties = Object.entries(members).map(([key, { schema }]) => [key, schema]);
  return { title, type: "object", properties: Object.fromEntries(properties) };
}

/** Schemas by member. A `?` at the end of a key says that the member may be absent. */
export type MemberSchemas = Readonly<Record<string, Schema>>;

/** Schemas of the members of a type, each once; those that may be absent or undefined have the `?`. */
export type MembersOf<T> = {
  readonly [K in keyof T & string as undefined extends T[K] ? `${K}?` : K]-?: Schema;
};

/** Returns the schema of an object with these members alone. With a type, the compiler compares its members. */
export function recordSchema(members: MemberSchemas): Schema;
export function recordSchema<T>(members: MembersOf<T>): Schema;
export function recordSchema(members: MemberSchemas): Schema {
  const entries = Object.entries(members);
  return {
    type: "object",
    properties: Object.fromEntries(entries.map(([key, schema]) => [key.replace(/\?$/, ""), schema])),
    required: entries.flatMap(([key]) => (key.endsWith("?") ? [] : [key])),
    additionalProperties: false,
  };
}

/** Returns the schema of an object with arbitrary keys. */
export function mapSchema(title: string, values: Schema): Schema {
  return { title, type: "object", additionalProperties: values };
}

/** Returns the schema of a list. */
export function arraySchema(items: Schema): Schema {
  return { type: "array", items };
}

/** Returns the schema of a list of these values, one of each. */
export function tupleSchema(...items: readonly Schema[]): Schema {
  return { type: "array", items, minItems: items.length, maxItems: items.length };
}

/** Returns the schema of a value that may be null. */
export function nullableSchema(schema: Schema): Schema {
  return { oneOf: [schema, plainSchemas.nothing] };
}
