/**
 * The language in which resources are described, once: a field is a structural OpenAPI schema, as a
 * CustomResourceDefinition holds it, that carries the TypeScript type of its values.
 */

/** A validation rule in the Common Expression Language, and what is said when it does not hold. */
export interface Rule {
  readonly rule: string;
  readonly message: string;
}

/** The part of OpenAPI v3 that is used here. */
export interface JsonSchema {
  readonly type: "object" | "array" | "string" | "integer" | "boolean";
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly string[];
  readonly pattern?: string;
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
  readonly "x-kubernetes-validations"?: readonly Rule[];
  readonly "x-kubernetes-list-type"?: "map" | "set" | "atomic";
  readonly "x-kubernetes-list-map-keys"?: readonly string[];
}

/** A schema whose values are of type `T`. */
export interface Field<T> {
  readonly schema: JsonSchema;
  readonly required: boolean;
  /** Never there: it lends its type to `ValueOf`. */
  readonly value?: T;
}

/** The type of a field's values, defaults filled in. */
export type ValueOf<F> = F extends Field<infer T> ? T : never;

type Limits = Omit<Partial<JsonSchema>, "type" | "description" | "default" | "enum">;

/** A text; Kubernetes asks for a length limit wherever a rule reads it. */
export function text(description: string, limits: Limits & { readonly maxLength: number }): Field<string> {
  return { schema: { type: "string", description, ...limits }, required: true };
}

/** One of a few words. */
export function oneOf<const W extends string>(
  words: readonly W[],
  description: string,
  limits: Limits = {},
): Field<W> {
  return { schema: { type: "string", description, enum: words, ...limits }, required: true };
}

/** A whole number that fits a double exactly. */
export function integer(description: string, minimum: number, maximum: number): Field<number> {
  return { schema: { type: "integer", format: "int64", description, minimum, maximum }, required: true };
}

/** True or false. */
export function flag(description: string): Field<boolean> {
  return { schema: { type: "boolean", description }, required: true };
}

/** A list of at most `maxItems`. */
export function list<T>(
  items: Field<T>,
  description: string,
  limits: Limits & { readonly maxItems: number },
): Field<readonly T[]> {
  return { schema: { type: "array", description, items: items.schema, ...limits }, required: true };
}

/** Texts by name. */
export function texts(
  description: string,
  maxProperties: number,
  maxLength: number,
): Field<Readonly<Record<string, string>>> {
  const additionalProperties: JsonSchema = { type: "string", maxLength };
  return { schema: { type: "object", description, additionalProperties, maxProperties }, required: true };
}

type Members = Readonly<Record<string, Field<unknown>>>;

/** An object; members that were not marked otherwise are required. */
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

/** A field that may be absent. */
export function optional<T>(field: Field<T>): Field<T | undefined> {
  return { schema: field.schema, required: false };
}

/** A field that is filled in with `value` when it is absent. */
export function defaulted<T>(field: Field<T>, value: T): Field<T> {
  const { type, description, ...rest } = field.schema;
  const schema = { type, ...(description === undefined ? {} : { description }), default: value, ...rest };
  return { schema, required: false };
}

/** An object that is there when it is absent, made of its members' defaults. */
export function filled<T>(field: Field<T>): Field<T> {
  const members = Object.entries(field.schema.properties ?? {});
  const defaults = members.filter(([, { default: value }]) => value !== undefined);
  const value = Object.fromEntries(defaults.map(([name, member]) => [name, member.default]));
  return defaulted(field, value as T); // the members without a default are optional ones
}

/** A field with rules of its own. */
export function ruled<T>(field: Field<T>, ...rules: readonly Rule[]): Field<T> {
  return { ...field, schema: { ...field.schema, "x-kubernetes-validations": rules } };
}
