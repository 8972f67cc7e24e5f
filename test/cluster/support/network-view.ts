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
  readonly metadata: { readonly name: string; readonly generation?: number };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly members?: readonly Member[];
    readonly conditions?: readonly Condition[];
    readonly maintenance?: Run;
    readonly maintenanceHistory?: readonly Run[];
  };
}

/** A maintenance. */
export interface Run {
  readonly member: string;
  readonly state: string;
  readonly operation: string;
  readonly cause: string;
  readonly message: string;
  readonly startedAt?: string;
  readonly finishedAt?: string;
}

/** A block as a member has it. */
export interface Seen {
  readonly hash: string;
  /** Seconds since the epoch. */
  readonly time: number;
}

/** A network to observe. */
export interface NetworkView {
  nodes(): Promise<readonly Kn[]>;
  members(): Promise<readonly Member[]>;
  /** Every maintenance, those that wait aside. */
  runs(): Promise<readonly Run[]>;
  /** The lowest height of all, once `count` members are there, all ready and higher than `above`. */
  whole(count: number, above: number, seconds: number): Promise<number>;
  uid(pod: string): Promise<string>;
  podUids(): Promise<string>;
  /** Answer of a node on its own socket, to a process inside its container. */
  inside(member: string, method: string, ...params: unknown[]): Promise<unknown>;
  /** The blocks from 0 to `last` as a member has them. */
  blocks(member: string, last: number): Promise<readonly Seen[]>;
  /** Log of a member's node since its pod started. */
  log(member: string): Promise<string>;
}

/** Looks at a namespace. */
export function viewNetwork(cluster: Cluster, namespace: string): NetworkView {
  const kubectl = (...args: string[]): Promise<string> => cluster.kubectl(["-n", namespace, ...args]);
  const nodes = async (): Promise<readonly Kn[]> =>
    (await cluster.get<{ items: Kn[] }>("-n", namespace, "kn")).items;
  const members = async (): Promise<readonly Member[]> =>
    (await nodes()).flatMap(({ status }) => status?.members ?? []);
  const runCode = async (member: string, code: string): Promise<unknown> =>
    JSON.parse(await kubectl("exec", `${member}-0`, "-c", "node", "--", "/usr/local/bin/node", "-e", code));
  return {
    nodes,
    members,
    runs: async () =>
      (await nodes()).flatMap(({ status: { maintenance, maintenanceHistory = [] } = {} }) => [
        ...(maintenance === undefined ? [] : [maintenance]),
        ...maintenanceHistory,
      ]),
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
      const [result] = (await runCode(member, askSocket(JSON.stringify([{ method, params }])))) as unknown[];
      return result;
    },
    blocks: async (member, last) =>
      (await runCode(member, askSocket(headersTo(last), SEEN))) as readonly Seen[],
    log: (member) => kubectl("logs", `${member}-0`, "-c", "node"),
  };
}

/** Questions for the headers of blocks 0 to `last`, as JavaScript: their list itself may be too long for a command. */
function headersTo(last: number): string {
  const question = '{ method: "klay_getHeaderByNumber", params: ["0x" + n.toString(16)] }';
  return `Array.from({ length: ${last + 1} }, (_, n) => (${question}))`;
}

/** Of a header, as JavaScript. */
const SEEN = "({ hash: r.hash, time: Number(r.timestamp) })";

/** JavaScript that prints what a node's socket answers, one question after another; `shown` is what of a result. */
function askSocket(questions: string, shown = "r"): string {
  return `const s = require("node:net").connect("/run/knit/knit.ipc"); let t = ""; const found = [];
    const q = ${questions};
    const ask = () => s.write(JSON.stringify({ jsonrpc: "2.0", id: 1, ...q[found.length] }) + "\\n");
    s.on("data", (d) => { t += d; if (!t.endsWith("\\n")) return;
      const r = JSON.parse(t).result; t = ""; found.push(${shown});
      if (found.length < q.length) return ask();
      console.log(JSON.stringify(found)); s.destroy(); });
    ask();`;
}

/** Nodes are asked one after another, and a block comes each second. */
const BLOCKS_BETWEEN_LOOKS = 15;

/** True when blocks are made and no Node's height is far behind the others'. */
export function areLevel(heights: readonly number[]): boolean {
  return Math.min(...heights) > 2 && Math.max(...heights) - Math.min(...heights) <= BLOCKS_BETWEEN_LOOKS;
}
