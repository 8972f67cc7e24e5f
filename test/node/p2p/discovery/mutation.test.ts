/** Tests of mutated discovery packets. */
import { afterEach, beforeEach, expect, jest, test } from "@jest/globals";
import { concatBytes } from "../../../../node/bytes/compare.ts";
import { keccak256 } from "../../../../node/crypto/keccak.ts";
import { sign } from "../../../../node/crypto/secp256k1.ts";
import { PACKET_RATES } from "../../../../node/p2p/discovery/discovery.ts";
import { encodePacket, type Packet } from "../../../../node/p2p/discovery/packets.ts";
import {
  aDiscovery,
  aPing,
  aQuestion,
  aRawPeer,
  nodeAt,
  PORT,
  soon,
  Wire,
} from "../../../support/discovery.ts";
import { keyOf } from "../../../support/p2p.ts";
import { randomBytes, seededRandom } from "../../../support/random.ts";

const MUTATIONS = Number(process.env["KNIT_P2P_MUTATIONS"] ?? 500);
const BOOT = "10.0.0.1";
const pass = (ms: number) => jest.advanceTimersByTimeAsync(ms);

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

/** The same content under a good signature and hash, so that what is inside is looked at. */
function signAgain(bytes: Uint8Array, key: Uint8Array): Uint8Array {
  const typed = bytes.subarray(97);
  const signed = concatBytes(sign(keccak256(typed), key), typed);
  return concatBytes(keccak256(signed), signed);
}

test(`${MUTATIONS} changed packets, some of them signed, neither stop a node nor make it believe anything`, async () => {
  const wire = new Wire();
  const limits = {
    ...PACKET_RATES,
    each: { perSecond: 1e9, burst: 1e9 },
    all: { perSecond: 1e9, burst: 1e9 },
  };
  await using node = await aDiscovery(wire, "node", { ip: BOOT, type: "en", limits });
  const random = seededRandom(11);
  const { key } = keyOf("mutant");
  const other = nodeAt("other", "10.0.9.2", "en");
  const packets: readonly Packet[] = [
    aPing("en"),
    { kind: "pong", to: other, token: new Uint8Array(32), expires: soon() },
    aQuestion("en"),
    { kind: "neighbors", wanted: "en", nodes: [other, other], expires: soon() },
  ];
  const from = { ip: "10.0.9.1", port: PORT };
  for (let count = 0; count < MUTATIONS; count++) {
    const bytes = encodePacket(packets[count % 4] as Packet, key);
    const at = Math.floor(random() * bytes.length);
    bytes[at] = Math.floor(random() * 256);
    const cut = random() < 0.2 ? bytes.subarray(0, at) : bytes;
    wire.send({ bytes: count % 2 === 0 ? cut : signAgain(cut, key), from, to: { ip: BOOT, port: PORT } });
    wire.send({ bytes: randomBytes(random, count % 1400), from, to: { ip: BOOT, port: PORT } });
    if (count % 500 === 0) await pass(0);
  }
  await pass(5000);
  expect(node.nodes("en")).toEqual([]);
  const raw = await aRawPeer(wire, "sound", "10.0.9.3");
  raw.say(aPing("en"), BOOT);
  await pass(0);
  expect(raw.heard[0]).toMatchObject({ kind: "pong" });
});
