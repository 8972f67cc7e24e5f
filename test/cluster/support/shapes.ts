/** Objects of a namespace without the members that differ between two equal ones. */
import type { Cluster } from "./cluster.ts";

const KINDS =
  "statefulset,service,configmap,secret,persistentvolumeclaim,networkpolicy,serviceaccount,poddisruptionbudget,nodes.knit.dev";
/** Members that the API server and its controllers choose. */
const CHOSEN = new Set(["clusterIP", "clusterIPs", "volumeName", "uid", "lastTransitionTime"]);

interface Item {
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly ownerReferences?: readonly { readonly kind: string; readonly name: string }[];
  };
  readonly data?: Readonly<Record<string, string>>;
  readonly spec?: unknown;
  readonly status?: unknown;
}

/** A text for each object by its kind and name; of keys and what is made from them only that they are there. */
export async function shapesOf(
  cluster: Cluster,
  namespace: string,
): Promise<Readonly<Record<string, string>>> {
  const { items } = await cluster.get<{ items: Item[] }>("-n", namespace, KINDS);
  return Object.fromEntries(
    items.map((item) => [`${item.kind} ${item.metadata.name}`, shape(item, namespace)]),
  );
}

function shape({ kind, metadata, data, spec, status }: Item, namespace: string): string {
  const { labels, ownerReferences } = metadata;
  const isRandom = kind === "Secret" || data?.["genesis.json"] !== undefined;
  const shown = {
    labels,
    owners: ownerReferences?.map(({ kind: owner, name }) => `${owner} ${name}`),
    spec,
    data: isRandom ? Object.keys(data ?? {}) : data,
    status: kind === "Node" ? status : undefined,
  };
  return JSON.stringify(shown, (name, value: unknown) => (CHOSEN.has(name) ? undefined : value))
    .replaceAll(namespace, "NAMESPACE")
    .replace(/[0-9a-f]{16,}/g, "HEX");
}
