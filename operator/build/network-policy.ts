/**
 * The second wall: only the operator's pods reach the gateway, and where a Node names namespaces, only they reach
 * JSON-RPC and metrics. Peers may come from anywhere.
 */
import { labels, pod } from "../api/names.ts";
import type { Draft, NodeResource, Part } from "../api/resource.ts";
import { selectorOf, sharedMeta, sharedNames } from "./names.ts";

const NAMESPACE = "kubernetes.io/metadata.name";

/** The policy; `operatorNamespace` is where the operator's pods are. */
export function networkPolicy(node: NodeResource, operatorNamespace: string): Draft {
  const { http, ws } = node.spec.api;
  const served = [
    pod.metricsPort,
    pod.gatewayHealthPort,
    ...(http.enabled ? [http.port] : []),
    ...(ws.enabled ? [ws.port] : []),
  ];
  const { clients } = node.spec.networkPolicy;
  const from = clients.map((name) => ({ namespaceSelector: { matchLabels: { [NAMESPACE]: name } } }));
  return {
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    metadata: sharedMeta(node, sharedNames(node.meta.name).networkPolicy),
    spec: {
      podSelector: { matchLabels: selectorOf(node.meta.name) },
      policyTypes: ["Ingress"],
      ingress: [
        { ports: [port(node.spec.p2p.port)] },
        { ...(clients.length === 0 ? {} : { from }), ports: served.map(port) },
        {
          from: [
            {
              namespaceSelector: { matchLabels: { [NAMESPACE]: operatorNamespace } },
              podSelector: { matchLabels: { [labels.name]: "knit-operator" } },
            },
          ],
          ports: [port(pod.gatewayPort)],
        },
      ],
    },
  };
}

function port(number: number): Part {
  return { port: number, protocol: "TCP" };
}
