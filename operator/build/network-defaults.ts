/** Fills the spec of a Node with the defaults of its Network. */
import { conform } from "../api/conform.ts";
import { type NodeSpec, nodeSpec } from "../api/node-spec.ts";
import { classOf } from "../api/node-storage.ts";
import type { NetworkResource, NodeResource } from "../api/resource.ts";
import type { JsonSchema } from "../api/schema.ts";
import { forkedGenesisName, GENESIS_FILE } from "./names.ts";

/**
 * Returns the Node with the Network's values where its own spec is silent: where a field is absent or has its default
 * value. Maps, resources and lists with keys merge by key; other lists are whole.
 */
export function withNetworkDefaults(node: NodeResource, network: NetworkResource | undefined): NodeResource {
  if (network === undefined) return node;
  const { networkId, defaults } = network.spec;
  const { storageClassName: former, ...given } = defaults;
  const spec = fill(nodeSpec.schema, node.spec, given) as NodeSpec; // both fit the schema, member by member
  const storageClassName = classOf(node.spec.storage) ?? classOf({ ...given.storage, className: former });
  return {
    ...node,
    spec: {
      ...spec,
      network: {
        ...spec.network,
        networkId: spec.network.networkId ?? networkId,
        genesis: spec.network.genesis ?? sharedGenesis(network),
      },
      storage: { ...spec.storage, storageClassName, className: undefined },
    },
  };
}

type Values = Readonly<Record<string, unknown>>;

/** Fills `own` with `given`, by the schema of both. */
function fill(schema: JsonSchema, own: unknown, given: unknown): unknown {
  if (given === undefined) return own;
  if (own === undefined) return conform({ schema, required: true }, given, "spec.defaults");
  if (schema.additionalProperties !== undefined) return { ...(given as Values), ...(own as Values) };
  if (schema.properties !== undefined) return fillMembers(schema.properties, own as Values, given as Values);
  if (schema["x-kubernetes-list-type"] === "map") return fillItems(schema, own, given);
  return JSON.stringify(own) === JSON.stringify(schema.default) ? given : own;
}

function fillMembers(properties: Readonly<Record<string, JsonSchema>>, own: Values, given: Values): Values {
  const members = Object.entries(properties).filter(([name]) => given[name] !== undefined);
  return {
    ...own,
    ...Object.fromEntries(members.map(([name, member]) => [name, fill(member, own[name], given[name])])),
  };
}

function fillItems(schema: JsonSchema, own: unknown, given: unknown): unknown {
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  const keyOf = (item: Values): string => JSON.stringify(keys.map((key) => item[key]));
  const [items, further] = [own, given] as readonly Values[][]; // lists of objects with these keys
  const known = new Set(items?.map(keyOf));
  return [...(items ?? []), ...(further ?? []).filter((item) => !known.has(keyOf(item)))];
}

/** Returns the genesis of the Network's Nodes; undefined for a created one without later forks. */
function sharedGenesis({ meta, spec, status }: NetworkResource): NodeResource["spec"]["network"]["genesis"] {
  const { configMap, public: named } = spec.genesis;
  if (named !== undefined) return { configMap: undefined, public: named };
  if (configMap !== undefined) return { configMap, public: undefined };
  const { forks } = status.genesis ?? {};
  if (forks === undefined) return undefined;
  return { configMap: { name: forkedGenesisName(meta.name, forks), key: GENESIS_FILE }, public: undefined };
}
