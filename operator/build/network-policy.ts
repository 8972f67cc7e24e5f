/** The second wall before the gateway: only the operator's pods reach its port. All other ports stay open. */
import { labels, pod } from "../api/names.ts";
import type { Draft, NodeResource, Part } from "../api/resource.ts";
import { ownedMeta, selectorOf } from "./names.ts";

/** The policy; `operatorNamespace` is where the operator's pods are. */
export function networkPolicy(node: NodeResource, operatorNamespace: string): Draft {
  const { http, ws } = node.spec.api;
  const open = [
    node.spec.p2p.port,
    pod.metricsPort,
    pod.gatewayHealthPort,
    ...(http.enabled ? [http.port] : []),
    ...(ws.enabled ? [ws.port] : []),
  ];
  return {
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    metadata: ownedMeta(node, node.meta.name),
    spec: {
      podSelector: { matchLabels: selectorOf(node.meta.name) },
      policyTypes: ["Ingress"],
      ingress: [
        { ports: open.map(port) },
        {
          from: [
            {
              namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": operatorNamespace } },
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
