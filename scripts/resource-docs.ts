/** `docs/node-resource.md`: every field of the resources, printed from their schemas. */
import { definitions } from "../operator/api/definition.ts";
import { hops } from "../operator/api/hops.ts";
import {
  API_VERSION,
  annotations,
  conditionTypes,
  eventReasons,
  networkConditionTypes,
  operations,
  phases,
  RESTART,
  volumeOperations,
} from "../operator/api/names.ts";
import { networkSpec } from "../operator/api/network-spec.ts";
import { networkStatus } from "../operator/api/network-status.ts";
import { nodeSpec } from "../operator/api/node-spec.ts";
import { nodeStatus } from "../operator/api/node-status.ts";
import { networkReasons, stepReasons, stopReasons, verdictReasons } from "../operator/api/reasons.ts";
import type { JsonSchema } from "../operator/api/schema.ts";

/** The page. */
export function resourceDocs(): string {
  return `# The resources Node and Network

Written by \`npm run crds\` from \`operator/api\`; do not edit. API \`${API_VERSION}\`.

${section("Node", "kn", nodeSpec.schema, nodeStatus.schema)}
${listOf("Conditions:", conditionTypes)}
${listOf("Reasons of `Ready` when it is not True, and of `members[].reason`:", readyReasons())}
${reasonTable("Reasons of the other conditions", verdictReasons)}
${listOf("Phases:", phases)}
Events:

| reason | type | meaning |
|---|---|---|
${Object.entries(eventReasons)
  .map(([name, [kind, says]]) => `| \`${name}\` | ${kind} | ${says} |`)
  .join("\n")}

### Maintenance

The annotation \`${annotations.run}\` is one of:

${Object.entries(operations)
  .map(([name, method]) => `- \`${name}\`: calls \`${method}\``)
  .join("\n")}
${Object.entries(volumeOperations)
  .map(([name, says]) => `- \`${name}\`: ${says}; of several replicas the one in \`${name}:REPLICA\``)
  .join("\n")}
- \`${RESTART}\`: recreates the pods one at a time, as for a changed spec

The annotation \`${annotations.paused}\`, with any value but \`false\`, pauses the Node: the operator observes it and writes only its status.

${section("Network", "knet", networkSpec.schema, networkStatus.schema)}
${listOf("Conditions:", networkConditionTypes)}
${reasonTable("Their reasons", networkReasons)}`;
}

function readyReasons(): Readonly<Record<string, string>> {
  const ways = Object.values(hops).map(({ reason, says }) => [reason, says]);
  return { ...stepReasons, ...stopReasons, ...Object.fromEntries(ways) };
}

type Reasons = Readonly<Record<string, Readonly<Record<string, readonly [string, string]>>>>;

function reasonTable(title: string, all: Reasons): string {
  const rows = Object.entries(all).flatMap(([type, reasons]) =>
    Object.entries(reasons).map(
      ([reason, [status, says]]) => `| \`${type}\` | ${status} | \`${reason}\` | ${says} |\n`,
    ),
  );
  return `${title}:\n\n| condition | status | reason | meaning |\n|---|---|---|---|\n${rows.join("")}`;
}

function section(kind: string, shortName: string, spec: JsonSchema, status: JsonSchema): string {
  return `## ${kind}

Short name \`${shortName}\`.

### spec

${fieldTable(spec)}
Rules across fields:

${[...rulesOfWhole(kind), ...rulesOf(spec, "spec")].join("\n")}

### status

${fieldTable(status)}`;
}

function listOf(title: string, rows: Readonly<Record<string, string>>): string {
  const lines = Object.entries(rows).map(([name, says]) => `- \`${name}\`: ${says}\n`);
  return `${title}\n\n${lines.join("")}`;
}

function fieldTable(schema: JsonSchema): string {
  const rows = rowsOf(schema, "").map((cells) => `| ${cells.join(" | ")} |\n`);
  return `| field | type | default | description |\n|---|---|---|---|\n${rows.join("")}`;
}

function rowsOf(schema: JsonSchema, path: string): string[][] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    const full = path === "" ? name : `${path}.${name}`;
    const required = schema.required?.includes(name) ? " (required)" : "";
    const row = [`\`${full}\``, `${typeOf(member)}${required}`, defaultOf(member), member.description ?? ""];
    if (isOfNode(full)) return [row];
    const inner = member.items?.properties ? member.items : member;
    return [row, ...rowsOf(inner, inner === member ? full : `${full}[]`)];
  });
}

/** True for a field of a Network whose members are those of the same field of a Node. */
function isOfNode(path: string): boolean {
  const [, name = ""] = /^(?:defaults\.|nodes\[\]\.)(\w+)$/.exec(path) ?? [];
  return Object.hasOwn(nodeSpec.schema.properties ?? {}, name);
}

function typeOf({ type, enum: words, items, additionalProperties, minimum, maximum }: JsonSchema): string {
  if (words !== undefined) return words.join(", ");
  if (items !== undefined) return `list of ${items.properties ? "objects" : typeOf(items)}`;
  if (additionalProperties !== undefined) return `${nameOf(additionalProperties.type)} by name`;
  const bounds = type === "integer" && maximum !== Number.MAX_SAFE_INTEGER ? ` ${minimum} to ${maximum}` : "";
  return `${nameOf(type)}${bounds}`;
}

function nameOf(type: JsonSchema["type"]): string {
  return type === "int-or-string" ? "string or integer" : type;
}

/** Defaults of objects are those of their members, which have rows of their own. */
function defaultOf({ type, default: value, properties }: JsonSchema): string {
  if (value === undefined || (type === "object" && properties !== undefined)) return "";
  return Array.isArray(value) && value.length > 0 ? value.join(", ") : `\`${JSON.stringify(value)}\``;
}

/** The rules that see name, spec and status at once. */
function rulesOfWhole(kind: string): string[] {
  const versions = definitions.find(({ spec }) => spec.names.kind === kind)?.spec.versions ?? [];
  return versions.flatMap(({ schema }) =>
    (schema.openAPIV3Schema["x-kubernetes-validations"] ?? []).map(
      ({ message }) => `- \`${kind}\`: ${message}`,
    ),
  );
}

function rulesOf(schema: JsonSchema, path: string): string[] {
  const own = (schema["x-kubernetes-validations"] ?? []).map(({ message }) => `- \`${path}\`: ${message}`);
  const members = Object.entries(schema.properties ?? {});
  return [...own, ...members.flatMap(([name, member]) => rulesOf(member, `${path}.${name}`))];
}
