/** Ingress and HTTPRoutes of a Node, by which clients outside the cluster reach its Service of JSON-RPC. */
import type { V1HTTPIngressPath, V1Ingress, V1IngressRule } from "@kubernetes/client-node";
import type { NodeSpec } from "../api/node-spec.ts";
import type { Draft, DraftMeta, DraftOf, NodeResource } from "../api/resource.ts";
import { sharedMeta, sharedNames } from "./names.ts";

type Exposure = NonNullable<NodeSpec["ingress"]> | NonNullable<NodeSpec["route"]>;

/** Lists the host names under which clients outside the cluster call the node. */
export function exposedHosts(spec: Pick<NodeSpec, "ingress" | "route">): readonly string[] {
  const all = [spec.ingress, spec.route].flatMap((each) => (each === undefined ? [] : hostsOf(each)));
  return [...new Set(all)];
}

function hostsOf({ hosts, wsHost }: Exposure): readonly string[] {
  return wsHost === undefined ? hosts : [...hosts, wsHost];
}

/** Builds the Ingress; undefined without `spec.ingress`, and for a node that serves neither HTTP nor WebSocket. */
export function rpcIngress(node: NodeResource): DraftOf<V1Ingress> | undefined {
  const { ingress: exposure } = node.spec;
  if (exposure === undefined) return undefined;
  const { hosts, path, wsPath, wsHost, className, tlsSecret } = exposure;
  const { http, ws } = node.spec.api;
  const paths = [
    ...(ws.enabled ? [backendPath(node, "ws", wsPath, "Exact")] : []),
    ...(http.enabled ? [backendPath(node, "http", path, "Prefix")] : []),
  ];
  if (paths.length === 0) return undefined;
  const rules: V1IngressRule[] = hosts.map((host) => ({ host, http: { paths } }));
  const hasWsHost = wsHost !== undefined && ws.enabled;
  if (hasWsHost) rules.push({ host: wsHost, http: { paths: [backendPath(node, "ws", "/", "Prefix")] } });
  return {
    apiVersion: "networking.k8s.io/v1",
    kind: "Ingress",
    metadata: metadataOf(node, sharedNames(node.meta.name).ingress, exposure),
    spec: {
      ...(className === undefined ? {} : { ingressClassName: className }),
      ...(tlsSecret === undefined ? {} : { tls: [{ hosts: [...hostsOf(exposure)], secretName: tlsSecret }] }),
      rules,
    },
  };
}

type Transport = "http" | "ws";

function backendPath(
  { meta }: NodeResource,
  transport: Transport,
  path: string,
  pathType: "Exact" | "Prefix",
): V1HTTPIngressPath {
  const { rpcService } = sharedNames(meta.name);
  return { path, pathType, backend: { service: { name: rpcService, port: { name: transport } } } };
}

/** An HTTPRoute of the Gateway API (`gateway.networking.k8s.io/v1`), as far as it is written here. */
export interface HttpRoute extends Draft {
  readonly spec: {
    readonly parentRefs: readonly object[];
    readonly hostnames: readonly string[];
    readonly rules: readonly {
      readonly matches: readonly { readonly path: { readonly type: string; readonly value: string } }[];
      readonly backendRefs: readonly { readonly name: string; readonly port: number }[];
    }[];
  };
}

/** Builds the HTTPRoute of `spec.route.hosts`; undefined for a node that serves neither HTTP nor WebSocket. */
export function httpRoute(node: NodeResource): HttpRoute | undefined {
  const { route } = node.spec;
  if (route === undefined) return undefined;
  const { http, ws } = node.spec.api;
  const rules = [
    ...(ws.enabled ? [routeRule(node, "ws", "Exact", route.wsPath)] : []),
    ...(http.enabled ? [routeRule(node, "http", "PathPrefix", route.path)] : []),
  ];
  if (rules.length === 0) return undefined;
  return routeOf(node, route, { name: sharedNames(node.meta.name).route, hostnames: route.hosts, rules });
}

/** Builds the HTTPRoute of `spec.route.wsHost`, because the rules of a route apply to all of its hosts. */
export function wsRoute(node: NodeResource): HttpRoute | undefined {
  const { route } = node.spec;
  if (route?.wsHost === undefined || !node.spec.api.ws.enabled) return undefined;
  const rules = [routeRule(node, "ws", "PathPrefix", "/")];
  return routeOf(node, route, {
    name: sharedNames(node.meta.name).wsRoute,
    hostnames: [route.wsHost],
    rules,
  });
}

function routeOf(
  node: NodeResource,
  route: NonNullable<NodeSpec["route"]>,
  { name, ...served }: { readonly name: string } & Pick<HttpRoute["spec"], "hostnames" | "rules">,
): HttpRoute {
  return {
    apiVersion: "gateway.networking.k8s.io/v1",
    kind: "HTTPRoute",
    metadata: metadataOf(node, name, route),
    spec: { parentRefs: route.parents, ...served },
  };
}

function routeRule(
  { meta, spec }: NodeResource,
  transport: Transport,
  type: "Exact" | "PathPrefix",
  value: string,
): HttpRoute["spec"]["rules"][number] {
  const backend = { name: sharedNames(meta.name).rpcService, port: spec.api[transport].port };
  return { matches: [{ path: { type, value } }], backendRefs: [backend] };
}

function metadataOf(node: NodeResource, name: string, { labels: more, annotations }: Exposure): DraftMeta {
  const { labels: own, ...metadata } = sharedMeta(node, name);
  return { ...metadata, labels: { ...more, ...own }, ...(annotations === undefined ? {} : { annotations }) };
}
