/** The CustomResourceDefinition of Node, as an object and as the file that `crds/` and the chart hold. */
import { stringify } from "yaml";
import { GROUP, VERSION } from "./names.ts";
import { nodeSpec } from "./node-spec.ts";
import { nodeStatus } from "./node-status.ts";

const ready = '.status.conditions[?(@.type=="Ready")]';

/** The columns of `kubectl get kn`. */
const columns = [
  { name: "Type", type: "string", jsonPath: ".spec.type" },
  { name: "Network", type: "string", jsonPath: ".spec.network.name" },
  { name: "Ready", type: "string", jsonPath: `${ready}.status` },
  { name: "Height", type: "integer", jsonPath: ".status.height" },
  { name: "Peers", type: "integer", jsonPath: ".status.peers" },
  { name: "Reason", type: "string", jsonPath: `${ready}.reason` },
  { name: "Maintenance", type: "string", jsonPath: ".status.maintenance.state", priority: 1 },
  { name: "URL", type: "string", jsonPath: ".status.url", priority: 1 },
  { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
];

/** The definition. */
export const definition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `nodes.${GROUP}` },
  spec: {
    group: GROUP,
    scope: "Namespaced",
    names: {
      kind: "Node",
      listKind: "NodeList",
      plural: "nodes",
      singular: "node",
      shortNames: ["kn"],
      categories: ["knit"],
    },
    versions: [
      {
        name: VERSION,
        served: true,
        storage: true,
        subresources: { status: {} },
        additionalPrinterColumns: columns,
        schema: {
          openAPIV3Schema: {
            type: "object",
            description: "A node of a Klaytn or Kaia network.",
            required: ["spec"],
            "x-kubernetes-validations": [
              // The Service for its peers is called so: a Node of that name would take another's.
              { rule: "!self.metadata.name.endsWith('-peer')", message: "a name cannot end in -peer" },
            ],
            properties: {
              apiVersion: { type: "string" },
              kind: { type: "string" },
              metadata: {
                type: "object",
                properties: {
                  name: { type: "string", maxLength: 40, pattern: "^[a-z]([-a-z0-9]*[a-z0-9])?$" },
                },
              },
              spec: nodeSpec.schema,
              status: nodeStatus.schema,
            },
          },
        },
      },
    ],
  },
} as const;

/** The definition as YAML. */
export function definitionText(): string {
  return `# Written by npm run crds from operator/api; do not edit.\n${stringify(definition, { lineWidth: 100, aliasDuplicateObjects: false })}`;
}
