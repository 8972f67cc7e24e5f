/** Attack: HTTP clients of every hostile kind, each of which takes one kind after the other and never reads more than it must. */
import { setTimeout } from "node:timers/promises";
import { seededRandom } from "../../../test/support/random.ts";
import { request } from "../../rpc/ask.ts";
import type { Attack } from "../attack.ts";
import { type AttackSocket, keepConnections, tallyFigures } from "../connections.ts";

const CLIENTS = 24;
const SEED = 23;
/** Just below the limit of a request. */
const BODY = 500_000;
const HOLD_MS = 4_000;
const PIPELINED = 40;

const ZERO = `0x${"0".repeat(40)}`;
/** `JUMPDEST; PUSH1 0; JUMP`: a call that runs until its gas or time is used up. */
const ENDLESS = "0x5b600056";
/** Memory as large as the gas allows, again and again. */
const GREEDY = "0x5b6001630fffffff52600056";

const head = (length: number): string =>
  `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;
const post = (body: string): string => head(body.length) + body;
const batch = (entry: string, count = Math.floor(BODY / (entry.length + 1)), first?: string): string =>
  `[${first === undefined ? "" : `${first},`}${Array.from({ length: count }, () => entry).join(",")}]`;

const bomb = request("eth_call", [{ to: ZERO, gas: "0x1fffffff" }, "latest", { [ZERO]: { code: ENDLESS } }]);
const memoryBomb = request("eth_estimateGas", [{ data: GREEDY, gas: "0x1fffffff" }]);
const wide = `[${"[],".repeat(150_000)}[]]`;
const deep = "[".repeat(9_000) + "]".repeat(9_000);
const topics = [0, 1, 2, 3].map((place) =>
  Array.from({ length: 1_000 }, (_, i) => `0x${(place * 1_000 + i).toString(16).padStart(64, "0")}`),
);

/** Requests as they stand on the wire, by kind. Texts that need long to make are made once. */
const KINDS: readonly string[] = [
  // A request without its last byte.
  head(BODY) + " ".repeat(BODY - 1),
  // The most objects that a request can hold, each answered with an error.
  post(batch("{}")),
  post(batch("[]")),
  // Many calls behind one that takes its time.
  post(batch("{}", 150_000, bomb)),
  post(batch(request("eth_chainId", []), 6_000, bomb)),
  // Parameters of many objects, which wait for a thread.
  post(request("eth_call", [{ to: ZERO, data: "0x" }, "latest", {}, wide])),
  post(`{"jsonrpc":"2.0","id":1,"method":"eth_getLogs","params":${deep}}`),
  // Calls of one block and one thousand blocks with long answers.
  post(batch(request("eth_getBlockByNumber", ["latest", true]), 4_000)),
  post(batch(request("eth_getLogs", [{ fromBlock: "0x0", toBlock: "latest" }]), 200)),
  // Work for reader threads.
  post(batch(bomb, 20)),
  post(batch(memoryBomb, 20)),
  // Filters that nobody polls.
  post(batch(request("eth_newFilter", [{ topics }]), 1)),
  post(batch(request("eth_newBlockFilter", []), 4_000)),
  // Transactions that cannot be read.
  post(batch(request("eth_sendRawTransaction", [`0x31f9${"ff".repeat(300)}`]), 700)),
];

/** Hostile HTTP clients of all kinds. */
export const attack: Attack = {
  summary: `${CLIENTS} HTTP clients of ${KINDS.length} hostile kinds, which never read`,
  run: async ({ httpPort: port }, signal) => {
    const random = seededRandom(SEED);
    const use = async ({ socket, write }: AttackSocket): Promise<void> => {
      socket.pause();
      const kind = KINDS[Math.floor(random() * KINDS.length)] ?? "";
      const isHalf = kind === KINDS[0];
      for (let i = 0; i < (isHalf ? 1 : PIPELINED); i++) {
        await Promise.race([write(kind), setTimeout(HOLD_MS, undefined, { signal })]);
        if (socket.writableNeedDrain) break;
      }
      await setTimeout(HOLD_MS, undefined, { signal });
      socket.destroy();
    };
    return tallyFigures(await keepConnections({ port, count: CLIENTS, signal, use }));
  },
};
