/**
 * Builders of fields: a field is a structural OpenAPI schema, as in a CustomResourceDefinition, together with the
 * TypeScript type of its values.
 */

/** A validation rule in the Common Expression Language, and the message of its violation. */
export interface Rule {
  readonly rule: string;
  readonly message: string;
}

/** Subset of OpenAPI v3 schemas that the operator uses. */
export interface JsonSchema {
  /** `int-or-string` is read as a string. */
  readonly type: "object" | "array" | "string" | "integer" | "boolean" | "int-or-string";
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly string[];
  readonly pattern?: string;
  /** Valid values in words, after "must be"; the message of a violated pattern. */
  readonly says?: string;
  readonly format?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: JsonSchema;
  readonly maxProperties?: number;
  /** An object of one of Kubernetes' own types: members that are not declared are kept as they are. */
  readonly "x-kubernetes-preserve-unknown-fields"?: true;
  readonly "x-kubernetes-validations"?: readonly Rule[];
  readonly "x-kubernetes-list-type"?: "map" | "set" | "atomic";
  readonly "x-kubernetes-list-map-keys"?: readonly string[];
}

/** Schema with values of type `T`. */
export interface Field<T> {
  readonly schema: JsonSchema;
  readonly required: boolean;
  /** Phantom property for `ValueOf`; always absent. */
  readonly value?: T;
}

/** The type of a field's values, with its defaults. */
export type ValueOf<F> = F extends Field<infer T> ? T : never;

type Limits = Omit<Partial<JsonSchema>, "type" | "description" | "default" | "enum">;

/** String field. Kubernetes requires a length limit for strings in validation rules. */
export function text(description: string, limits: Limits & { readonly maxLength: number }): Field<string> {
  return { schema: { type: "string", description, ...limits }, required: true };
}

/** Enum field. */
export function oneOf<const W extends string>(
  words: readonly W[],
  description: string,
  limits: Limits = {},
): Field<W> {
  return { schema: { type: "string", description, enum: words, ...limits }, required: true };
}

/** Integer field within the exact range of a double. */
export function integer(description: string, minimum: number, maximum: number): Field<number> {
  return { schema: { type: "integer", format: "int64", description, minimum, maximum }, required: true };
}

/** Boolean field. */
export function flag(description: string): Field<boolean> {
  return { schema: { type: "boolean", description }, required: true };
}

/** List field with at most `maxItems` items. */
export function list<T>(
  items: Field<T>,
  description: string,
  limits: Limits & { readonly maxItems: number },
): Field<readonly T[]> {
  return { schema: { type: "array", description, items: items.schema, ...limits }, required: true };
}

/** String field that also accepts an integer, which is read as its decimal digits. */
export function intOrText(
  description: string,
  limits: Limits & { readonly maxLength: number },
): Field<string> {
  return { schema: { type: "int-or-string", description, ...limits }, required: true };
}

/** Map field from names to strings; an integer is read as its decimal digits. */
export function settingTexts(
  description: string,
  maxProperties: number,
  maxLength: number,
): Field<Readonly<Record<string, string>>> {
  const additionalProperties: JsonSchema = { type: "int-or-string", maxLength };
  return { schema: { type: "object", description, additionalProperties, maxProperties }, required: true };
}

/** Map field from names to strings. */
export function texts(
  description: string,
  maxProperties: number,
  maxLength: number,
): Field<Readonly<Record<string, string>>> {
  const additionalProperties: JsonSchema = { type: "string", maxLength };
  return { schema: { type: "object", description, additionalProperties, maxProperties }, required: true };
}

type Members = Readonly<Record<string, Field<unknown>>>;

/** Object field. Members are required unless they are optional or have a default. */
export function object<const M extends Members>(
  description: string,
  members: M,
  rules: readonly Rule[] = [],
): Field<{ readonly [K in keyof M]: ValueOf<M[K]> }> {
  const required = Object.keys(members).filter((name) => members[name]?.required);
  const schema: JsonSchema = {
    type: "object",
    description,
    ...(required.length > 0 ? { required } : {}),
    properties: Object.fromEntries(Object.entries(members).map(([name, member]) => [name, member.schema])),
    ...(rules.length > 0 ? { "x-kubernetes-validations": rules } : {}),
  };
  return { schema, required: true };
}

/** Object field of one of Kubernetes' own types, of which some members are declared. */
export function openObject<const M extends Members>(
  description: string,
  members: M,
): Field<{ readonly [K in keyof M]: ValueOf<M[K]> } & Readonly<Record<string, unknown>>> {
  const { schema, required } = object(description, members);
  return { schema: { ...schema, "x-kubernetes-preserve-unknown-fields": true }, required };
}

/** Object field of one of Kubernetes' own types. */
export function anyObject(description: string): Field<Readonly<Record<string, unknown>>> {
  return {
    schema: { type: "object", description, "x-kubernetes-preserve-unknown-fields": true },
    required: true,
  };
}

/** A value of which any member may be absent; lists are whole. */
export type Sparse<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? { readonly [K in keyof T]?: Sparse<T[K]> | undefined }
    : T;

/** Fields of some members of an object, as `sparseMembers` gives them. */
type SparseMembers<T, K extends keyof T> = { readonly [N in K]: Field<Sparse<T[N]> | undefined> };

/**
 * Returns members of an object field as optional fields without defaults, so that their values have only what was
 * written. Rules across members go, because the members may be absent.
 */
export function sparseMembers<T, const K extends keyof T & string>(
  { schema }: Field<T>,
  names: readonly K[],
): SparseMembers<T, K> {
  const members = names.map((name) => {
    const member = schema.properties?.[name];
    if (member === undefined) throw new RangeError(`${name} is no member`);
    return [name, { schema: withoutDefaults(member), required: false }] as const;
  });
  return Object.fromEntries(members) as SparseMembers<T, K>; // one entry for each name
}

function withoutDefaults({ default: _default, ...schema }: JsonSchema): JsonSchema {
  const { properties, "x-kubernetes-validations": _rules, ...whole } = schema;
  if (properties === undefined) return schema;
  const members = Object.entries(properties).map(([name, member]) => [name, withoutDefaults(member)]);
  return { ...whole, properties: Object.fromEntries(members) };
}

/** Makes a field optional. */
export function optional<T>(field: Field<T>): Field<T | undefined> {
  return { schema: field.schema, required: false };
}

/** Gives a field the default `value`. */
export function withDefault<T>(field: Field<T>, value: T): Field<T> {
  const { type, description, ...rest } = field.schema;
  const schema = { type, ...(description === undefined ? {} : { description }), default: value, ...rest };
  return { schema, required: false };
}

/** Gives an object field a default that consists of its members' defaults. */
export function withMemberDefaults<T>(field: Field<T>): Field<T> {
  const members = Object.entries(field.schema.properties ?? {});
  const defaults = members.filter(([, { default: value }]) => value !== undefined);
  const value = Object.fromEntries(defaults.map(([name, member]) => [name, member.default]));
  return withDefault(field, value as T); // the members without a default are optional ones
}

/** Adds validation rules to a field. */
export function withRules<T>(field: Field<T>, ...rules: readonly Rule[]): Field<T> {
  return { ...field, schema: { ...field.schema, "x-kubernetes-validations": rules } };
}
