/** Services: addresses that stay for a member's peers, names for pods, and JSON-RPC for clients of the Node. */
import { labels, pod } from "../api/names.ts";
import type { Draft, DraftMeta, NodeResource, Part } from "../api/resource.ts";
import {
  type Member,
  memberSelector,
  objectNames,
  ownedMeta,
  selectorOf,
  sharedMeta,
  sharedNames,
} from "./names.ts";

/** Where peers find a member: also before it is ready, or two nodes would wait for each other. */
export function peerService(member: Member): Draft {
  return service(ownedMeta(member, objectNames(member.name).peerService), {
    type: "ClusterIP",
    selector: memberSelector(member),
    publishNotReadyAddresses: true,
    ports: [
      port("p2p", member.node.spec.p2p.port),
      port("gateway", pod.gatewayPort),
      port("metrics", pod.metricsPort),
    ],
  });
}

/** Where peers outside the cluster find a member; undefined when they do not. Nothing but p2p is open there. */
export function externalService(member: Member): Draft | undefined {
  const { external, port: number } = member.node.spec.p2p;
  if (external === "None") return undefined;
  return service(ownedMeta(member, objectNames(member.name).externalService), {
    type: external,
    selector: memberSelector(member),
    publishNotReadyAddresses: true,
    externalTrafficPolicy: "Local",
    ports: [port("p2p", number)],
  });
}

/** Names of the pods themselves: POD.NAME-members.NAMESPACE.svc. */
export function membersService(node: NodeResource): Draft {
  const metadata = sharedMeta(node, sharedNames(node.meta.name).membersService);
  const marked = { ...metadata, labels: { ...metadata.labels, [labels.service]: metadata.name } };
  return service(marked, {
    type: "ClusterIP",
    clusterIP: "None",
    selector: selectorOf(node.meta.name),
    publishNotReadyAddresses: true,
    ports: [port("p2p", node.spec.p2p.port), port("metrics", pod.metricsPort)],
  });
}

/** JSON-RPC of whichever members are ready; undefined when none is served. */
export function rpcService(node: NodeResource): Draft | undefined {
  const { http, ws } = node.spec.api;
  const ports = [
    ...(http.enabled ? [port("http", http.port)] : []),
    ...(ws.enabled ? [port("ws", ws.port)] : []),
  ];
  if (ports.length === 0) return undefined;
  return service(sharedMeta(node, sharedNames(node.meta.name).rpcService), {
    type: "ClusterIP",
    selector: selectorOf(node.meta.name),
    ports,
  });
}

function service(metadata: DraftMeta, spec: Part): Draft {
  return { apiVersion: "v1", kind: "Service", metadata, spec };
}

function port(name: string, number: number): Part {
  return { name, port: number, targetPort: name, protocol: "TCP" };
}
