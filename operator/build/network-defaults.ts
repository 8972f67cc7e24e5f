/** Fills the spec of a Node with the defaults of its Network. */
import type { NetworkResource, NodeResource } from "../api/resource.ts";
import { forkedGenesisName, GENESIS_FILE } from "./names.ts";

/** Returns the Node with the Network's values where its own spec is silent; maps and resources merge by key. */
export function withNetworkDefaults(node: NodeResource, network: NetworkResource | undefined): NodeResource {
  if (network === undefined) return node;
  const { spec } = node;
  const { networkId, defaults } = network.spec;
  const { image, resources, storageClassName, settings } = defaults;
  return {
    ...node,
    spec: {
      ...spec,
      image: spec.image ?? image,
      network: {
        ...spec.network,
        networkId: spec.network.networkId ?? networkId,
        genesis: spec.network.genesis ?? sharedGenesis(network),
      },
      storage: { ...spec.storage, className: spec.storage.className ?? storageClassName },
      resources: {
        requests: mergeAmounts(spec.resources.requests, resources.requests),
        limits: mergeAmounts(spec.resources.limits, resources.limits),
      },
      settings: { ...settings, ...spec.settings },
    },
  };
}

/** Returns the genesis of the Network's Nodes; undefined for a created one without later forks. */
function sharedGenesis({ meta, spec, status }: NetworkResource): NodeResource["spec"]["network"]["genesis"] {
  const { configMap } = spec.genesis;
  if (configMap !== undefined) return { configMap };
  const { forks } = status.genesis ?? {};
  if (forks === undefined) return undefined;
  return { configMap: { name: forkedGenesisName(meta.name, forks), key: GENESIS_FILE } };
}

interface Amounts {
  readonly cpu: string | undefined;
  readonly memory: string | undefined;
}

function mergeAmounts(own: Amounts, defaults: Amounts): Amounts {
  return { cpu: own.cpu ?? defaults.cpu, memory: own.memory ?? defaults.memory };
}
