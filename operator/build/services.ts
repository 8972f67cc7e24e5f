/** A Node's Services: an address for its peers that stays, and JSON-RPC for clients while the node is ready. */
import { pod } from "../api/names.ts";
import type { Draft, NodeResource, Part } from "../api/resource.ts";
import { objectNames, ownedMeta, selectorOf } from "./names.ts";

/** Where peers find the node: also before it is ready, or two nodes would wait for each other. */
export function peerService(node: NodeResource): Draft {
  return service(node, objectNames(node.meta.name).peerService, {
    publishNotReadyAddresses: true,
    ports: [
      port("p2p", node.spec.p2p.port),
      port("gateway", pod.gatewayPort),
      port("metrics", pod.metricsPort),
    ],
  });
}

/** JSON-RPC; undefined when none is served. */
export function rpcService(node: NodeResource): Draft | undefined {
  const { http, ws } = node.spec.api;
  const ports = [
    ...(http.enabled ? [port("http", http.port)] : []),
    ...(ws.enabled ? [port("ws", ws.port)] : []),
  ];
  if (ports.length === 0) return undefined;
  return service(node, objectNames(node.meta.name).rpcService, { ports });
}

function service(node: NodeResource, name: string, spec: Part): Draft {
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: ownedMeta(node, name),
    spec: { type: "ClusterIP", selector: selectorOf(node.meta.name), ...spec },
  };
}

function port(name: string, number: number): Part {
  return { name, port: number, targetPort: name, protocol: "TCP" };
}
