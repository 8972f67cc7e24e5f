/**
 * The NetworkPolicy of a Node. Only the operator's pods reach the gateway, and those of replicas that start from a copy of the Node. Where `networkPolicy.clients` names
 * namespaces, only these reach JSON-RPC; those of `networkPolicy.metricsClients`, or the same, reach metrics. The p2p port is open to all peers.
 */
import type {
  V1NetworkPolicy,
  V1NetworkPolicyPeer,
  V1NetworkPolicyPort,
  V1NetworkPolicySpec,
} from "@kubernetes/client-node";
import { labels, pod } from "../api/names.ts";
import type { DraftOf, NodeResource } from "../api/resource.ts";
import { isDiscovering, selectorOf, sharedMeta, sharedNames } from "./names.ts";

const NAMESPACE = "kubernetes.io/metadata.name";

/** A rule as sent to the API server, which names the client's _from `from`. */
interface IngressRule {
  readonly from?: V1NetworkPolicyPeer[];
  readonly ports: V1NetworkPolicyPort[];
}

/** A NetworkPolicy with ingress rules as they go over the wire. */
export type NetworkPolicyDraft = DraftOf<Omit<V1NetworkPolicy, "spec">> & {
  readonly spec: Omit<V1NetworkPolicySpec, "ingress"> & { readonly ingress: IngressRule[] };
};

/** Others than the operator that reach the gateway. */
export interface PolicyOptions {
  /** Namespace of the operator's pods. */
  readonly operatorNamespace: string;
  /** True while replicas of the network read checkpoints of the Node. */
  readonly givesCopies?: boolean;
}

/** Builds the policy. */
export function networkPolicy(
  node: NodeResource,
  { operatorNamespace, givesCopies = false }: PolicyOptions,
): NetworkPolicyDraft {
  const { http, ws } = node.spec.api;
  const rpc = [...(http.enabled ? [http.port] : []), ...(ws.enabled ? [ws.port] : [])];
  const metrics = [pod.metricsPort, pod.gatewayHealthPort];
  const { clients, metricsClients } = node.spec.networkPolicy;
  const served =
    metricsClients === undefined
      ? [rule(clients, [...metrics, ...rpc])]
      : [rule(metricsClients, metrics), ...(rpc.length === 0 ? [] : [rule(clients, rpc)])];
  return {
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    metadata: sharedMeta(node, sharedNames(node.meta.name).networkPolicy),
    spec: {
      podSelector: { matchLabels: selectorOf(node.meta.name) },
      policyTypes: ["Ingress"],
      ingress: [
        {
          ports: [
            port(node.spec.p2p.port),
            ...(isDiscovering(node.spec) ? [{ ...port(node.spec.p2p.port), protocol: "UDP" }] : []),
          ],
        },
        ...served,
        {
          from: [
            {
              namespaceSelector: { matchLabels: { [NAMESPACE]: operatorNamespace } },
              podSelector: { matchLabels: { [labels.name]: "knit-operator" } },
            },
            ...(givesCopies ? [siblings(node)] : []),
          ],
          ports: [port(pod.gatewayPort)],
        },
      ],
    },
  };
}

/** The pods of the network in the namespace, whose certificates read checkpoints alone. */
function siblings({ spec }: NodeResource): V1NetworkPolicyPeer {
  return {
    podSelector: { matchLabels: { [labels.name]: "knit", [labels.network]: spec.network.name } },
  };
}

/** Opens ports to pods of these namespaces, or to all when there are none. */
function rule(namespaces: readonly string[], ports: readonly number[]): IngressRule {
  const from = namespaces.map((name) => ({ namespaceSelector: { matchLabels: { [NAMESPACE]: name } } }));
  return { ...(from.length === 0 ? {} : { from }), ports: ports.map(port) };
}

function port(number: number): V1NetworkPolicyPort {
  return { port: number, protocol: "TCP" };
}
