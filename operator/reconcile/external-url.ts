/** URL of a member for peers outside the cluster, from its external Service. */
import { type Identity, nodeUrl } from "../build/identity.ts";
import { type Member, objectNames } from "../build/names.ts";
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
  const { external, port } = node.spec.p2p;
  if (external === "None") return undefined;
  const seen = cache.find("service", `${node.meta.namespace}/${objectNames(name).externalService}`);
  const { spec, status } = (seen?.object ?? {}) as ServiceView;
  const ingress = firstOf(status?.loadBalancer?.ingress);
  const opened = firstOf(spec?.ports);
  const place =
    external === "NodePort"
      ? [hostAddress, opened["nodePort"]]
      : [ingress["ip"] ?? ingress["hostname"], port];
  const [host, number] = place;
  if (typeof host !== "string" || !HOST.test(host) || typeof number !== "number") return undefined;
  return nodeUrl(identity, host, number, node.spec.type);
}

function firstOf(value: unknown): Readonly<Record<string, unknown>> {
  const first: unknown = Array.isArray(value) ? value[0] : undefined;
  return typeof first === "object" && first !== null ? (first as Readonly<Record<string, unknown>>) : {};
}
