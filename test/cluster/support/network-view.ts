/** The Nodes of a namespace as tests look at them: what their status says, and what the nodes themselves do. */
import { type Cluster, eventually } from "./cluster.ts";

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
}

/** A replica. */
export interface Member {
  readonly name: string;
  readonly ready: boolean;
  readonly height?: number;
  readonly peers?: number;
  readonly peersWanted?: number;
}

/** A Node. */
export interface Kn {
  readonly metadata: { readonly name: string };
  readonly status?: {
    readonly members?: readonly Member[];
    readonly conditions?: readonly Condition[];
    readonly maintenance?: { readonly state: string; readonly operation: string; readonly message: string };
  };
}

/** What is looked at. */
export interface NetworkView {
  nodes(): Promise<readonly Kn[]>;
  members(): Promise<readonly Member[]>;
  /** The lowest height of all, once `count` members are there, all ready and higher than `above`. */
  whole(count: number, above: number, seconds: number): Promise<number>;
  uid(pod: string): Promise<string>;
  podUids(): Promise<string>;
  /** What a node answers on its own socket, to somebody inside of its container. */
  inside(member: string, method: string, ...params: unknown[]): Promise<unknown>;
}

/** Looks at a namespace. */
export function viewNetwork(cluster: Cluster, namespace: string): NetworkView {
  const kubectl = (...args: string[]): Promise<string> => cluster.kubectl(["-n", namespace, ...args]);
  const nodes = async (): Promise<readonly Kn[]> =>
    (await cluster.get<{ items: Kn[] }>("-n", namespace, "kn")).items;
  const members = async (): Promise<readonly Member[]> =>
    (await nodes()).flatMap(({ status }) => status?.members ?? []);
  return {
    nodes,
    members,
    whole: (count, above, seconds) =>
      eventually(
        `a whole network above block ${above}`,
        async () => {
          const all = await members();
          const lowest = Math.min(...all.map(({ height = 0 }) => height));
          if (all.length === count && all.every(({ ready }) => ready) && lowest > above) return lowest;
          throw new Error(JSON.stringify(all));
        },
        seconds,
      ),
    uid: (pod) => kubectl("get", "pod", pod, "-o", "jsonpath={.metadata.uid}"),
    podUids: () =>
      kubectl("get", "pods", "-l", "app.kubernetes.io/name=knit", "-o", "jsonpath={.items[*].metadata.uid}"),
    async inside(member, method, ...params) {
      const code = askSocket(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }));
      const command = ["--", "/usr/local/bin/node", "-e", code];
      const text = await kubectl("exec", `${member}-0`, "-c", "node", ...command);
      return (JSON.parse(text) as { result?: unknown }).result;
    },
  };
}

/** JavaScript that prints what a node's socket answers to a request. */
function askSocket(request: string): string {
  return `const s = require("node:net").connect("/run/knit/knit.ipc"); let t = "";
    s.on("data", (d) => { t += d; if (t.endsWith("\\n")) { console.log(t); s.destroy(); } });
    s.write(${JSON.stringify(request)} + "\\n");`;
}
