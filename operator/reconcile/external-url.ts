/** URL of a member for peers outside the cluster, from its external Service, its machine or its address. */
import { type Identity, nodeUrl } from "../build/identity.ts";
import { isDiscovering, type Member, objectNames } from "../build/names.ts";
import type { ReconcileDeps } from "./deps.ts";

interface ServiceView {
  readonly spec?: { readonly ports?: unknown } | null;
  readonly status?: { readonly loadBalancer?: { readonly ingress?: unknown } | null } | null;
}

const HOST = /^[-.:a-zA-Z0-9]{1,253}$/;

/** Returns the URL; undefined without a Service or an address. */
export function externalUrl(
  { node, name }: Member,
  identity: Identity,
  { cache }: { readonly cache: Pick<ReconcileDeps["cache"], "find"> },
  hostAddress: string | undefined,
): string | undefined {
  const { external, externalAddress } = node.spec.p2p;
  if (external === "None" && externalAddress === undefined) return undefined;
  const seen = cache.find("service", `${node.meta.namespace}/${objectNames(name).externalService}`);
  const [found, number] = placeOf(node, seen?.object ?? {}, hostAddress);
  const host = externalAddress ?? found;
  if (typeof host !== "string" || !HOST.test(host) || typeof number !== "number") return undefined;
  const url = nodeUrl(identity, host, number, node.spec.type);
  return isDiscovering(node.spec) ? url.replace("discport=0", `discport=${number}`) : url;
}

/** Returns the host and the port at which the Service or the machine is reached. */
function placeOf(
  { spec: { p2p } }: Member["node"],
  { spec, status }: ServiceView,
  hostAddress: string | undefined,
): readonly [host: unknown, port: unknown] {
  if (p2p.external === "HostPort") return [hostAddress, p2p.port];
  if (p2p.external === "NodePort") return [hostAddress, firstOf(spec?.ports)["nodePort"]];
  const ingress = firstOf(status?.loadBalancer?.ingress);
  return [ingress["ip"] ?? ingress["hostname"], p2p.port];
}

function firstOf(value: unknown): Readonly<Record<string, unknown>> {
  const first: unknown = Array.isArray(value) ? value[0] : undefined;
  return typeof first === "object" && first !== null ? (first as Readonly<Record<string, unknown>>) : {};
}
