/**
 * Validation of objects that were read: types, limits and defaults, as the API server applies them. The definition in
 * the cluster may belong to another version of the operator, so every object is validated again.
 */
import { ApiError } from "./error.ts";
import type { Field, JsonSchema } from "./schema.ts";

/** Returns `value` with defaults and without unknown fields. Throws `ApiError` with the first invalid field. */
export function conform<T>(field: Field<T>, value: unknown, path: string): T {
  return conformValue(field.schema, value, path) as T; // a field's type is derived from its schema
}

const PLAIN: Readonly<Record<string, (schema: JsonSchema, value: unknown) => string | undefined>> = {
  string: checkText,
  integer: checkInteger,
  boolean: (_schema, value) => (typeof value === "boolean" ? undefined : "true or false"),
  "int-or-string": (schema, value) =>
    Number.isSafeInteger(value) ? undefined : checkText(schema, value) && "a string or an integer",
};

function conformValue(schema: JsonSchema, value: unknown, path: string): unknown {
  if (schema.type === "object") return conformObject(schema, value, path);
  if (schema.type === "array") return conformList(schema, value, path);
  const wanted = PLAIN[schema.type]?.(schema, value);
  if (wanted !== undefined) throw new ApiError(`${path} must be ${wanted}`);
  return schema.type === "int-or-string" ? String(value) : value;
}

function conformObject(schema: JsonSchema, value: unknown, path: string): object {
  if (!isObject(value)) throw new ApiError(`${path} must be an object`);
  if (schema.additionalProperties !== undefined) return conformMap(schema, value, path);
  const entries = Object.entries(schema.properties ?? {}).map(([name, member]) => {
    const given = value[name] ?? member.default;
    if (given !== undefined) return [name, conformValue(member, given, `${path}.${name}`)];
    if (schema.required?.includes(name)) throw new ApiError(`${path}.${name} is missing`);
    return [name, undefined];
  });
  if (schema["x-kubernetes-preserve-unknown-fields"] !== true) return Object.fromEntries(entries);
  return { ...value, ...Object.fromEntries(entries.filter(([, each]) => each !== undefined)) };
}

function conformMap(
  { additionalProperties: items, maxProperties = 0 }: JsonSchema,
  value: Readonly<Record<string, unknown>>,
  path: string,
): object {
  const entries = Object.entries(value);
  if (entries.length > maxProperties) throw new ApiError(`${path} must have at most ${maxProperties} keys`);
  return Object.fromEntries(
    entries.map(([name, each]) => [name, items && conformValue(items, each, `${path}.${name}`)]),
  );
}

function conformList(
  { items, minItems = 0, maxItems = 0 }: JsonSchema,
  value: unknown,
  path: string,
): unknown[] {
  if (!Array.isArray(value)) throw new ApiError(`${path} must be a list`);
  if (value.length < minItems) throw new ApiError(`${path} must have at least ${minItems} items`);
  if (value.length > maxItems) throw new ApiError(`${path} must have at most ${maxItems} items`);
  return value.map((each, index) => items && conformValue(items, each, `${path}[${index}]`));
}

function checkText(schema: JsonSchema, value: unknown): string | undefined {
  if (typeof value !== "string") return "a string";
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY, pattern, says } = schema;
  if (value.length < minLength || value.length > maxLength)
    return `of ${minLength} to ${maxLength} characters`;
  if (schema.enum !== undefined && !schema.enum.includes(value)) return `one of ${schema.enum.join(", ")}`;
  return pattern === undefined || new RegExp(pattern).test(value) ? undefined : (says ?? `like ${pattern}`);
}

function checkInteger(
  { minimum = Number.MIN_SAFE_INTEGER, maximum = Number.MAX_SAFE_INTEGER }: JsonSchema,
  value: unknown,
): string | undefined {
  const fits = Number.isSafeInteger(value) && Number(value) >= minimum && Number(value) <= maximum;
  return fits ? undefined : `an integer from ${minimum} to ${maximum}`;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
