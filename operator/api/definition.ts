/** The CustomResourceDefinitions, as objects and as the YAML files of `crds/` and the chart. */
import { stringify } from "yaml";
import { GROUP, VERSION } from "./names.ts";
import { networkSpec } from "./network-spec.ts";
import { networkStatus } from "./network-status.ts";
import { nodeSpec } from "./node-spec.ts";
import { nodeStatus } from "./node-status.ts";
import { sizeStays } from "./node-storage.ts";
import type { JsonSchema, Rule } from "./schema.ts";

const ready = '.status.conditions[?(@.type=="Ready")]';
const age = { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" };

interface Column {
  readonly name: string;
  readonly type: string;
  readonly jsonPath: string;
  /** 1: shown with `-o wide` only. */
  readonly priority?: number;
}

interface Resource {
  readonly kind: string;
  readonly plural: string;
  readonly shortName: string;
  readonly description: string;
  readonly columns: readonly Column[];
  readonly rules: readonly Rule[];
  /** Paths of the scale subresource, for `kubectl scale` and autoscalers. */
  readonly scale?: Readonly<Record<string, string>>;
  readonly spec: JsonSchema;
  readonly status: JsonSchema;
}

/** All custom resources, one row each. */
const resources: readonly Resource[] = [
  {
    kind: "Node",
    plural: "nodes",
    shortName: "kn",
    description: "One or more replicas of a blockchain node in a Klaytn or Kaia network.",
    columns: [
      { name: "Type", type: "string", jsonPath: ".spec.type" },
      { name: "Ready", type: "string", jsonPath: `${ready}.status` },
      { name: "Height", type: "integer", jsonPath: ".status.height" },
      { name: "Peers", type: "integer", jsonPath: ".status.peers" },
      { name: "Replicas", type: "integer", jsonPath: ".spec.replicas" },
      { name: "Phase", type: "string", jsonPath: ".status.phase" },
      age,
      { name: "Network", type: "string", jsonPath: ".spec.network.name", priority: 1 },
      { name: "Reason", type: "string", jsonPath: `${ready}.reason`, priority: 1 },
      { name: "Maintenance", type: "string", jsonPath: ".status.maintenance.state", priority: 1 },
      { name: "URL", type: "string", jsonPath: ".status.url", priority: 1 },
    ],
    rules: [
      {
        // Services and replicas have such names: a Node of that name would collide with them.
        rule: "!self.metadata.name.matches('-(peer|members|external|m[0-9]+)$')",
        message: "a name cannot end in -peer, -members, -external or -m and a number",
      },
      sizeStays,
    ],
    scale: {
      specReplicasPath: ".spec.replicas",
      statusReplicasPath: ".status.replicas",
      labelSelectorPath: ".status.selector",
    },
    spec: nodeSpec.schema,
    status: nodeStatus.schema,
  },
  {
    kind: "Network",
    plural: "networks",
    shortName: "knet",
    description: "A Klaytn or Kaia network: its genesis and defaults for its Nodes.",
    columns: [
      { name: "Ready", type: "string", jsonPath: `${ready}.status` },
      { name: "Nodes", type: "integer", jsonPath: ".status.nodes" },
      { name: "ReadyNodes", type: "integer", jsonPath: ".status.readyNodes" },
      { name: "Height", type: "integer", jsonPath: ".status.height" },
      { name: "Reason", type: "string", jsonPath: `${ready}.reason` },
      age,
      { name: "Genesis", type: "string", jsonPath: ".status.genesisHash", priority: 1 },
    ],
    rules: [],
    spec: networkSpec.schema,
    status: networkStatus.schema,
  },
];

/** The CustomResourceDefinitions. */
export const definitions = resources.map(definitionOf);

function definitionOf({ kind, plural, shortName, ...resource }: Resource) {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${GROUP}` },
    spec: {
      group: GROUP,
      scope: "Namespaced",
      names: {
        kind,
        listKind: `${kind}List`,
        plural,
        singular: kind.toLowerCase(),
        shortNames: [shortName],
        categories: ["knit"],
      },
      versions: [
        {
          name: VERSION,
          served: true,
          storage: true,
          subresources: { status: {}, ...(resource.scale === undefined ? {} : { scale: resource.scale }) },
          additionalPrinterColumns: resource.columns,
          schema: { openAPIV3Schema: wholeSchema(resource) },
        },
      ],
    },
  };
}

function wholeSchema({ description, rules, spec, status }: Omit<Resource, "kind" | "plural" | "shortName">) {
  return {
    type: "object",
    description,
    required: ["spec"],
    ...(rules.length > 0 ? { "x-kubernetes-validations": rules } : {}),
    properties: {
      apiVersion: { type: "string" },
      kind: { type: "string" },
      metadata: {
        type: "object",
        properties: {
          name: { type: "string", maxLength: 40, pattern: "^[a-z]([-a-z0-9]*[a-z0-9])?$" },
        },
      },
      spec: structuralSchema(spec),
      status: structuralSchema(status),
    },
  };
}

/**
 * Converts a schema to the form of the API server: an integer or a string has no type, and a pattern in words becomes a
 * rule, because the API server reports a pattern only by itself.
 */
function structuralSchema({ says, pattern, type, ...schema }: JsonSchema): object {
  const { properties, items, additionalProperties, "x-kubernetes-validations": rules = [] } = schema;
  const isWorded = says !== undefined && pattern !== undefined;
  const worded = isWorded ? [{ rule: `self.matches(r'${pattern}')`, message: `must be ${says}` }] : [];
  const all = [...worded, ...rules];
  return {
    ...(type === "int-or-string" ? { "x-kubernetes-int-or-string": true } : { type }),
    ...schema,
    ...(pattern === undefined || isWorded ? {} : { pattern }),
    ...(all.length === 0 ? {} : { "x-kubernetes-validations": all }),
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, member]) => [name, structuralSchema(member)]),
      ),
    }),
    ...(items && { items: structuralSchema(items) }),
    ...(additionalProperties && { additionalProperties: structuralSchema(additionalProperties) }),
  };
}

/** Formats the definitions as files: name and YAML. */
export function definitionFiles(): readonly (readonly [name: string, text: string])[] {
  return definitions.map((definition) => [
    `${GROUP}_${definition.metadata.name.split(".")[0]}.yaml`,
    `# Written by npm run crds from operator/api; do not edit.\n${stringify(definition, { lineWidth: 100, aliasDuplicateObjects: false })}`,
  ]);
}
