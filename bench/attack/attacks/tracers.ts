/**
 * Attack: HTTP clients that trace endless calls, with struct logs, built-in tracers and tracers of their own in
 * JavaScript. The node serves `debug` for it, which a node that faces the world does not: who may trace also sets the
 * deadline of a trace. The attack leaves the usual one, five seconds.
 */
import { setTimeout } from "node:timers/promises";
import { DEVELOPMENT_KEYS } from "../../../node/accounts/development-keys.ts";
import { toHex } from "../../../node/bytes/hex.ts";
import { addressOfKey } from "../../../node/crypto/secp256k1.ts";
import { seededRandom } from "../../../test/support/random.ts";
import { request } from "../../rpc/ask.ts";
import type { Attack } from "../attack.ts";
import { type AttackSocket, keepConnections, tallyFigures } from "../connections.ts";

const CLIENTS = 24;
const SEED = 23;
const HOLD_MS = 4_000;
const PIPELINED = 40;
const A_BATCH = 20;

const [RICH = ""] = DEVELOPMENT_KEYS.map((key) => toHex(addressOfKey(key)));
/** `JUMPDEST; PUSH1 0; JUMP`: runs until its gas or time is used up. */
const ENDLESS = "0x5b600056";
/** `JUMPDEST; PUSH1 32; MSIZE; MSTORE; PUSH1 0; JUMP`: memory grows by a word each time. */
const GROWING = "0x5b60205952600056";
/** `JUMPDEST; PUSH1 0; DUP1; SLOAD; PUSH1 0; JUMP` until the stack is full. */
const STACKED = "0x5b60008054600056";

const program = (step: string): string =>
  `{seen: [], step: function(log) {${step}}, fault: function() {}, result: function() { return this.seen; }}`;

/** Options of a trace, by kind. */
const CONFIGS: readonly object[] = [
  {},
  { disableStack: false, disableMemory: false },
  { limit: 1 },
  ...["callTracer", "prestateTracer", "4byteTracer", "noopTracer"].map((tracer) => ({ tracer })),
  { tracer: program("") },
  { tracer: program("while (true) {}") },
  { tracer: program("this.seen.push(log.stack.length());") },
  { tracer: program("this.seen.push(log.memory.slice(0, 1e6));") },
  { tracer: program("this.seen = [this.seen];") },
  { tracer: `{${" ".repeat(10_000)}` },
];

/** Batches of traces as they stand on the wire. */
const KINDS: readonly string[] = [ENDLESS, GROWING, STACKED].flatMap((data) =>
  CONFIGS.map((config) => {
    const call = request("debug_traceCall", [{ from: RICH, data, gas: "0x1fffffff" }, "latest", config]);
    const body = `[${Array.from({ length: A_BATCH }, () => call).join(",")}]`;
    return `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  }),
);

/** Hostile clients that trace. */
export const attack: Attack = {
  summary: `${CLIENTS} HTTP clients that trace endless calls in ${CONFIGS.length} ways, and never read`,
  flags: ["--rpcapi", "admin,eth,net,debug"],
  run: async ({ httpPort: port }, signal) => {
    const random = seededRandom(SEED);
    const use = async ({ socket, write }: AttackSocket): Promise<void> => {
      socket.pause();
      const kind = KINDS[Math.floor(random() * KINDS.length)] ?? "";
      for (let i = 0; i < PIPELINED; i++) {
        await Promise.race([write(kind), setTimeout(HOLD_MS, undefined, { signal })]);
        if (socket.writableNeedDrain) break;
      }
      await setTimeout(HOLD_MS, undefined, { signal });
      socket.destroy();
    };
    return tallyFigures(await keepConnections({ port, count: CLIENTS, signal, use }));
  },
};
