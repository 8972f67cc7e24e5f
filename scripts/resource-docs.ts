/** `docs/node-resource.md`: every field of a Node, printed from its schema. */
import { annotations, conditionTypes, eventReasons, operations } from "../operator/api/names.ts";
import { nodeSpec } from "../operator/api/node-spec.ts";
import { nodeStatus } from "../operator/api/node-status.ts";
import type { JsonSchema } from "../operator/api/schema.ts";

/** The page. */
export function resourceDocs(): string {
  return `# The resource Node

Written by \`npm run crds\` from \`operator/api\`; do not edit. API \`knit.dev/v1alpha1\`, kind \`Node\`, short name \`kn\`.

## spec

${fieldTable(nodeSpec.schema)}
Rules across fields:

${rulesOf(nodeSpec.schema, "spec").join("\n")}

## status

${fieldTable(nodeStatus.schema)}
Conditions:

${Object.entries(conditionTypes)
  .map(([name, says]) => `- \`${name}\`: ${says}`)
  .join("\n")}

Events: ${Object.entries(eventReasons)
    .map(([name, kind]) => `\`${name}\` (${kind})`)
    .join(", ")}.

## Maintenance

The annotation \`${annotations.run}\` is one of:

${Object.entries(operations)
  .map(([name, method]) => `- \`${name}\`: calls \`${method}\``)
  .join("\n")}
`;
}

function fieldTable(schema: JsonSchema): string {
  const rows = rowsOf(schema, "").map((cells) => `| ${cells.join(" | ")} |\n`);
  return `| field | type | default | what |\n|---|---|---|---|\n${rows.join("")}`;
}

function rowsOf(schema: JsonSchema, path: string): string[][] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    const full = path === "" ? name : `${path}.${name}`;
    const required = schema.required?.includes(name) ? " (required)" : "";
    const row = [`\`${full}\``, `${typeOf(member)}${required}`, defaultOf(member), member.description ?? ""];
    const inner = member.items?.properties ? member.items : member;
    return [row, ...rowsOf(inner, inner === member ? full : `${full}[]`)];
  });
}

function typeOf({ type, enum: words, items, additionalProperties, minimum, maximum }: JsonSchema): string {
  if (words !== undefined) return words.join(", ");
  if (items !== undefined) return `list of ${items.properties ? "objects" : typeOf(items)}`;
  if (additionalProperties !== undefined) return `${additionalProperties.type} by name`;
  const bounds = type === "integer" && maximum !== Number.MAX_SAFE_INTEGER ? ` ${minimum} to ${maximum}` : "";
  return `${type}${bounds}`;
}

/** Defaults of objects are those of their members, which have rows of their own. */
function defaultOf({ type, default: value, properties }: JsonSchema): string {
  if (value === undefined || (type === "object" && properties !== undefined)) return "";
  return Array.isArray(value) && value.length > 0 ? value.join(", ") : `\`${JSON.stringify(value)}\``;
}

function rulesOf(schema: JsonSchema, path: string): string[] {
  const own = (schema["x-kubernetes-validations"] ?? []).map(({ message }) => `- \`${path}\`: ${message}`);
  const members = Object.entries(schema.properties ?? {});
  return [...own, ...members.flatMap(([name, member]) => rulesOf(member, `${path}.${name}`))];
}
