/** Services of a Node: stable addresses for peers, DNS names of pods, and JSON-RPC for clients. */
import type { V1Service, V1ServicePort, V1ServiceSpec } from "@kubernetes/client-node";
import { labels, pod } from "../api/names.ts";
import type { DraftMeta, DraftOf, NodeResource } from "../api/resource.ts";
import {
  DISCOVERY_PORT,
  isDiscovering,
  type Member,
  memberSelector,
  objectNames,
  ownedMeta,
  selectorOf,
  sharedMeta,
  sharedNames,
} from "./names.ts";

/** Builds the Service for a member's peers. It includes pods that are not ready, else two nodes would wait for each other. */
export function peerService(member: Member): DraftOf<V1Service> {
  return service(ownedMeta(member, objectNames(member.name).peerService), {
    type: "ClusterIP",
    selector: memberSelector(member),
    publishNotReadyAddresses: true,
    ports: [
      port("p2p", member.node.spec.p2p.port),
      port("gateway", pod.gatewayPort),
      port("metrics", pod.metricsPort),
      ...discoveryPorts(member.node),
    ],
  });
}

/** Returns true when each member has a Service for peers outside the cluster. */
export function hasExternalService({ spec: { p2p } }: NodeResource): boolean {
  return p2p.external === "NodePort" || p2p.external === "LoadBalancer";
}

/** Builds the Service for peers outside the cluster, with the ports for peers only; undefined for a Node without one. */
export function externalService(member: Member): DraftOf<V1Service> | undefined {
  const { external, port: number } = member.node.spec.p2p;
  if (!hasExternalService(member.node)) return undefined;
  return service(ownedMeta(member, objectNames(member.name).externalService), {
    type: external,
    selector: memberSelector(member),
    publishNotReadyAddresses: true,
    externalTrafficPolicy: "Local",
    ports: [port("p2p", number), ...discoveryPorts(member.node)],
  });
}

/** Builds the headless Service, which gives pods the names POD.NAME-members.NAMESPACE.svc. */
export function membersService(node: NodeResource): DraftOf<V1Service> {
  const metadata = sharedMeta(node, sharedNames(node.meta.name).membersService);
  const labelled = { ...metadata, labels: { ...metadata.labels, [labels.service]: metadata.name } };
  return service(labelled, {
    type: "ClusterIP",
    clusterIP: "None",
    selector: selectorOf(node.meta.name),
    publishNotReadyAddresses: true,
    ports: [
      port("p2p", node.spec.p2p.port),
      port("metrics", pod.metricsPort),
      port("gateway-health", pod.gatewayHealthPort),
    ],
  });
}

/** Builds the Service for JSON-RPC of ready members; undefined when no transport is enabled. */
export function rpcService(node: NodeResource): DraftOf<V1Service> | undefined {
  const { http, ws } = node.spec.api;
  const ports = [
    ...(http.enabled ? [port("http", http.port)] : []),
    ...(ws.enabled ? [port("ws", ws.port)] : []),
  ];
  if (ports.length === 0) return undefined;
  const { type, labels: more, annotations, sessionAffinity, ...optional } = node.spec.serviceTemplate;
  const { labels: own, ...metadata } = sharedMeta(node, sharedNames(node.meta.name).rpcService);
  return service(
    { ...metadata, labels: { ...more, ...own }, ...(annotations === undefined ? {} : { annotations }) },
    {
      type,
      selector: selectorOf(node.meta.name),
      ports,
      sessionAffinity,
      ...clientFields(type, optional),
    },
  );
}

type Optional = Omit<
  NodeResource["spec"]["serviceTemplate"],
  "type" | "labels" | "annotations" | "sessionAffinity"
>;

/** Returns the fields that a Service of this type may have; the API server refuses those of a load balancer elsewhere. */
function clientFields(type: string, { trafficDistribution, ...outside }: Optional): Partial<V1ServiceSpec> {
  const { externalTrafficPolicy, loadBalancerClass, loadBalancerSourceRanges: ranges } = outside;
  const isOutside = type !== "ClusterIP" && externalTrafficPolicy !== undefined;
  const isBalanced = type === "LoadBalancer";
  return {
    ...(trafficDistribution === undefined ? {} : { trafficDistribution }),
    ...(isOutside ? { externalTrafficPolicy } : {}),
    ...(isBalanced && loadBalancerClass !== undefined ? { loadBalancerClass } : {}),
    ...(isBalanced && ranges !== undefined ? { loadBalancerSourceRanges: [...ranges] } : {}),
  };
}

/** Returns the port for discovery of a node that uses it. */
function discoveryPorts({ spec }: NodeResource): V1ServicePort[] {
  return isDiscovering(spec) ? [{ ...port(DISCOVERY_PORT, spec.p2p.port), protocol: "UDP" }] : [];
}

function service(metadata: DraftMeta, spec: V1ServiceSpec): DraftOf<V1Service> {
  return { apiVersion: "v1", kind: "Service", metadata, spec };
}

function port(name: string, number: number): V1ServicePort {
  return { name, port: number, targetPort: name, protocol: "TCP" };
}
