/** Tests of mutated handshakes and frames. */
import { type ChildProcess, fork } from "node:child_process";
import { randomBytes } from "node:crypto";
import { connect, type Socket } from "node:net";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { concatBytes } from "../../../node/bytes/compare.ts";
import { fromBareHex } from "../../../node/bytes/hex.ts";
import { encodeHello } from "../../../node/p2p/base-messages.ts";
import { joinContent } from "../../../node/p2p/frame.ts";
import { exchangeKeys } from "../../../node/p2p/handshake.ts";
import { authFields, sealPacket } from "../../../node/p2p/handshake-packets.ts";
import { parseNodeUrl } from "../../../node/p2p/node-url.ts";
import { packSnappy } from "../../../node/p2p/snappy.ts";
import type { RlpxTransport } from "../../../node/p2p/transport.ts";
import { aChat, keyOf, openNode, QUICK } from "../../support/p2p.ts";
import { randomBytes as seededBytes, seededRandom } from "../../support/random.ts";
import { until } from "../../support/until.ts";

const COUNT = Number(process.env["KNIT_P2P_MUTATIONS"] ?? 400);
const AT_ONCE = 8;
/** Attacks before memory is looked at for the first time. */
const WARM = 500;

let target: ChildProcess;
let where: { id: string; port: number };
let exited: string | undefined;
const answer = <T>(): Promise<T> =>
  new Promise((resolve) => void target.once("message", resolve as () => void));

interface TargetState {
  readonly memory: number;
  readonly peers: number;
  readonly sessions: number;
}
const state = (): Promise<TargetState> => {
  const answered = answer<TargetState>();
  target.send("memory");
  return answered;
};

beforeAll(async () => {
  const file = fileURLToPath(new URL("../../support/p2p-target.ts", import.meta.url));
  target = fork(file, { execArgv: ["--expose-gc"], stdio: ["ignore", "inherit", "inherit", "ipc"] });
  target.once("exit", (code, signal) => {
    exited = `${code} ${signal}`;
  });
  where = await answer();
});
afterAll(() => void target.kill());

const random = seededRandom(2024);
const pick = (count: number): number => Math.floor(random() * count);

/** A copy with some bytes changed, removed, doubled or added. */
function mutate(bytes: Uint8Array): Uint8Array {
  let out = Uint8Array.from(bytes);
  for (let times = 1 + pick(3); times > 0; times--) {
    const at = pick(out.length);
    const kind = pick(5);
    if (kind < 2) out[at] = pick(256);
    else if (kind === 2) out = out.slice(0, at);
    else if (kind === 3)
      out = concatBytes(out.subarray(0, at), seededBytes(random, pick(40)), out.subarray(at));
    else out = concatBytes(out, out.subarray(at));
  }
  return out;
}

function dial(): Promise<Socket> {
  const socket = connect({ host: "127.0.0.1", port: where.port, noDelay: true });
  socket.on("error", () => undefined);
  return new Promise((resolve) => void socket.once("connect", () => resolve(socket)));
}

const self = (n: number) =>
  ({
    nodeKey: keyOf(`attacker ${n}`),
    type: "cn",
    random: (length: number) => randomBytes(length),
    timings: QUICK,
  }) as const;

const hello = (n: number): Uint8Array =>
  encodeHello({
    version: 5,
    name: "attacker",
    capabilities: [{ name: "chat", version: 1 }],
    listenPorts: [],
    id: keyOf(`attacker ${n}`).id,
    multichannel: false,
  });

async function openEncrypted(n: number): Promise<RlpxTransport> {
  return (await exchangeKeys(await dial(), self(n), fromBareHex(where.id))).transport;
}

/** An auth packet as it should be, then spoilt. */
async function spoiltAuth(n: number): Promise<Socket> {
  const socket = await dial();
  const side = {
    key: self(n).nodeKey.key,
    remoteId: fromBareHex(where.id),
    ephemeralKey: keyOf(`ephemeral ${n}`).key,
    nonce: randomBytes(32),
  };
  const fields = pick(2) === 0 ? authFields(side) : authFields(side).map((field) => mutate(field));
  const randomness = { boxKey: keyOf(`box ${n}`).key, iv: randomBytes(16), padding: 100 };
  const auth = sealPacket(fields, side.remoteId, randomness);
  socket.write(Uint8Array.of(pick(256)));
  socket.write(pick(2) === 0 ? auth : mutate(auth));
  return socket;
}

async function spoiltHello(n: number): Promise<Socket> {
  const transport = await openEncrypted(n);
  transport.write({ code: pick(4) === 0 ? pick(20) : 0, payload: mutate(hello(n)) });
  return transport.socket;
}

/** A good session, then frames whose bytes, codes, lengths or packing are wrong. */
async function spoiltFrames(n: number): Promise<Socket> {
  const transport = await openEncrypted(n);
  transport.write({ code: 0, payload: hello(n) });
  for (let times = 1 + pick(4); times > 0; times--) {
    const payload = seededBytes(random, pick(300));
    const kind = pick(4);
    // Not packed by the transport, so the block itself can be wrong.
    if (kind === 0) transport.write({ code: 16 + pick(8), payload: mutate(packSnappy(payload)) });
    else if (kind === 1) transport.write({ code: pick(2 ** 31), payload });
    else if (kind === 2) transport.socket.write(mutate(joinContent({ code: 16, payload })));
    else transport.write({ code: 16 + pick(8), payload: Uint8Array.of(0xff, 0xff, 0xff, 0x07, ...payload) });
  }
  return transport.socket;
}

async function noise(): Promise<Socket> {
  const socket = await dial();
  socket.write(seededBytes(random, 1 + pick(800)));
  return socket;
}

/** One attack, until the node has closed the connection or we have. */
async function attack(n: number): Promise<void> {
  const kinds = [noise, spoiltAuth, spoiltHello, spoiltFrames, spoiltFrames];
  const socket = await kinds[n % kinds.length]?.(n).catch(() => undefined);
  if (socket === undefined || socket.destroyed) return;
  const closed = new Promise((resolve) => void socket.once("close", resolve));
  socket.removeAllListeners("readable");
  socket.resume();
  if (pick(3) === 0) socket.destroy();
  else socket.end();
  await closed;
}

async function attacks(from: number, to: number): Promise<void> {
  let next = from;
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (next < to) await attack(next++);
    }),
  );
}

test(
  `${COUNT} mutated handshakes and frames: no crash, memory flat, the other session unharmed`,
  async () => {
    const chat = aChat();
    const url = parseNodeUrl(`kni://${where.id}@127.0.0.1:${where.port}`);
    await using friend = await openNode("friend", { protocols: [chat.protocol], staticNodes: [url] });
    await until(() => chat.peers.length === 1);
    let sent = 0;
    const talk = setInterval(() => sent++ < 100_000 && chat.peers[0]?.send(0, Buffer.from(String(sent))), 5);
    const warm = Math.max(WARM, Math.ceil(COUNT / 4));
    await attacks(0, warm);
    await until(() => chat.heard.length > 0);
    const before = await state();
    await attacks(warm, COUNT);
    clearInterval(talk);
    await until(() => chat.heard.length === sent);
    let after = await state();
    while (after.peers > 1) after = await state();
    expect(exited).toBeUndefined();
    expect(after.sessions).toBeGreaterThan(COUNT / 5); // the frames did reach sessions
    expect(after.memory - before.memory).toBeLessThan(6 * 2 ** 20);
    expect(chat.peers.length).toBe(1);
    expect(chat.heard.map(({ payload }) => Number(Buffer.from(payload)))).toEqual(
      Array.from({ length: sent }, (_, i) => i + 1),
    );
    expect(friend.peers().map(({ id }) => id)).toEqual([where.id]);
    if (process.env["KNIT_P2P_MUTATIONS"])
      process.stderr.write(`${JSON.stringify({ before, after, sent })}\n`);
  },
  30_000 + COUNT * 30,
);
