/** A Node with what its Network says where the Node itself says nothing. */
import type { NetworkResource, NodeResource } from "../api/resource.ts";

/** The Node as it is to be. A member of a map and an amount of a resource are filled in one by one. */
export function withNetwork(node: NodeResource, network: NetworkResource | undefined): NodeResource {
  if (network === undefined) return node;
  const { spec } = node;
  const { networkId, genesis, defaults } = network.spec;
  const { image, resources, storageClassName, settings } = defaults;
  return {
    ...node,
    spec: {
      ...spec,
      image: spec.image ?? image,
      network: {
        ...spec.network,
        networkId: spec.network.networkId ?? networkId,
        genesis: spec.network.genesis ?? (genesis.configMap && { configMap: genesis.configMap }),
      },
      storage: { ...spec.storage, className: spec.storage.className ?? storageClassName },
      resources: {
        requests: filled(spec.resources.requests, resources.requests),
        limits: filled(spec.resources.limits, resources.limits),
      },
      settings: { ...settings, ...spec.settings },
    },
  };
}

interface Amounts {
  readonly cpu: string | undefined;
  readonly memory: string | undefined;
}

function filled(own: Amounts, common: Amounts): Amounts {
  return { cpu: own.cpu ?? common.cpu, memory: own.memory ?? common.memory };
}
