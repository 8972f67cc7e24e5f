/**
 * JSON schemas by which kubeconform judges manifests: kinds of Kubernetes from its OpenAPI files, and custom resources from
 * their definitions. Fields that a schema does not have are refused.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";

type Schema = Readonly<Record<string, unknown>>;

interface Component extends Schema {
  readonly "x-kubernetes-group-version-kind"?: readonly GroupVersionKind[];
}

interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

interface Definition {
  readonly spec: {
    readonly group: string;
    readonly names: { readonly kind: string };
    readonly versions: readonly {
      readonly name: string;
      readonly schema: { readonly openAPIV3Schema: Schema };
    }[];
  };
}

/** Location of the schemas in a directory, as kubeconform takes it. */
export const locationIn = (directory: string): string =>
  join(directory, "{{.Group}}_{{.ResourceKind}}_{{.ResourceAPIVersion}}.json");

/** Writes the schemas of all kinds in `source` and in the definitions into `directory`; returns the written kinds. */
export function writeSchemas(
  directory: string,
  source: string,
  definitions: readonly string[],
): readonly string[] {
  const files = readdirSync(source).map((name) => join(source, name));
  const crds = [...files.filter((file) => file.endsWith(".yaml")), ...definitions];
  return [
    ...files.filter((file) => file.endsWith(".json")).flatMap((file) => writeKinds(directory, file)),
    ...crds.flatMap((file) => writeCustom(directory, file)),
  ];
}

function write(directory: string, { group, version, kind }: GroupVersionKind, schema: Schema): string {
  const file = join(directory, `${group || version}_${kind.toLowerCase()}_${version}.json`); // kubeconform calls the core group by its version
  writeFileSync(file, JSON.stringify(schema));
  return kind;
}

function writeKinds(directory: string, file: string): readonly string[] {
  const { components } = JSON.parse(readFileSync(file, "utf8")) as {
    readonly components: { readonly schemas: Readonly<Record<string, Component>> };
  };
  return Object.entries(components.schemas).flatMap(([name, component]) => {
    const [kind, ...others] = component["x-kubernetes-group-version-kind"] ?? [];
    if (kind === undefined || others.length > 0) return [];
    const parts = [...reachable(name, components.schemas)].map((each) => [
      each,
      strict(components.schemas[each]),
    ]);
    return write(directory, kind, {
      $ref: `#/components/schemas/${name}`,
      components: { schemas: Object.fromEntries(parts) },
    });
  });
}

/** Names of the components that one refers to, itself among them. */
function reachable(name: string, schemas: Readonly<Record<string, Schema>>): ReadonlySet<string> {
  const names = new Set<string>([name]);
  for (const each of names)
    for (const [, other = ""] of JSON.stringify(schemas[each] ?? {}).matchAll(
      /"#\/components\/schemas\/([^"]+)"/g,
    ))
      names.add(other);
  return names;
}

function writeCustom(directory: string, file: string): readonly string[] {
  const { spec } = parse(readFileSync(file, "utf8")) as Definition;
  return spec.versions.map(({ name: version, schema: { openAPIV3Schema } }) => {
    const { metadata: _metadata, ...properties } = openAPIV3Schema["properties"] as Readonly<
      Record<string, Schema>
    >;
    const closed = strict({ ...openAPIV3Schema, properties }) as { readonly properties: object };
    const schema = { ...closed, properties: { ...closed.properties, metadata: { type: "object" } } };
    return write(directory, { group: spec.group, version, kind: spec.names.kind }, schema);
  });
}

/** Refuses further fields wherever a schema lists fields and does not keep unknown ones. */
function strict(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(strict);
  if (typeof schema !== "object" || schema === null) return schema;
  const copy = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, strict(value)]));
  const isOpen = "additionalProperties" in copy || copy["x-kubernetes-preserve-unknown-fields"] === true;
  return "properties" in copy &&
    typeof copy["properties"] === "object" &&
    !isOpen &&
    copy["type"] === "object"
    ? { ...copy, additionalProperties: false }
    : copy;
}
