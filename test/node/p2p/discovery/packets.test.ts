/** Tests of discovery packets, against recorded ones. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "@jest/globals";
import { bareHex, fromBareHex, fromHex, toHex } from "../../../../node/bytes/hex.ts";
import { encodeRlp, itemAt, listItems } from "../../../../node/bytes/rlp.ts";
import {
  decodePacket,
  encodePacket,
  type FoundNode,
  MAX_NODES_PER_PACKET,
  MAX_PACKET_BYTES,
  type NodeEndpoint,
  packetFields,
} from "../../../../node/p2p/discovery/packets.ts";
import { keyOf } from "../../../support/p2p.ts";

interface SampleEndpoint {
  readonly ip: string;
  readonly udp: number;
  readonly tcp: number;
  readonly ntype?: number;
}

interface Samples {
  readonly discovery: {
    readonly signerKey: string;
    readonly expectedNodeId: string;
    readonly packets: readonly { readonly type: number; readonly name: string; readonly hex: string }[];
    readonly expectedFields: readonly Readonly<Record<string, unknown>>[];
  };
}

const { discovery } = JSON.parse(
  readFileSync(new URL("../../../vectors/network/samples.json", import.meta.url), "utf8"),
) as Samples;
const KINDS = ["ping", "pong", "find-node", "neighbors"];
const samples = discovery.packets.map((packet, index) => ({ ...packet, index }));

/** The samples' fields under the packets' names. */
function expectedFields(fields: Readonly<Record<string, unknown>>): object {
  const end = (name: string): object => {
    const found = fields[name] as SampleEndpoint | undefined;
    return found ? { [name]: { ip: found.ip, udpPort: found.udp, tcpPort: found.tcp, type: "unknown" } } : {};
  };
  const { networkId } = fields;
  return {
    ...end("from"),
    ...end("to"),
    ...(networkId === undefined ? {} : { networkId }),
    expires: 1136239445,
  };
}

describe("recorded packets", () => {
  test.each(samples)("$index $name is read, and written again element by element", ({ hex, type, index }) => {
    const bytes = fromBareHex(hex);
    const { packet, sender, hash } = decodePacket(bytes);
    expect(bareHex(sender)).toBe(discovery.expectedNodeId.replace(/^0x/, ""));
    expect(toHex(hash)).toBe(toHex(bytes.subarray(0, 32)));
    expect(packet.kind).toBe(KINDS[type - 1]);
    expect(packet).toMatchObject(expectedFields(discovery.expectedFields[index] ?? {}));
    const recorded = listItems(itemAt(bytes, 98)).map(({ raw }) => toHex(raw));
    const written = packetFields(packet).map((field) => toHex(encodeRlp(field)));
    // The version, the ping's second element, is always 4 when written; the elements that follow are nobody's.
    const version = packet.kind === "ping" ? 1 : -1;
    expect(written).toEqual(
      recorded.slice(0, written.length).map((each, at) => (at === version ? "0x04" : each)),
    );
  });

  test("the one without further elements is written to the same bytes, signature and hash included", () => {
    const { hex } = samples[0] ?? { hex: "" };
    const bytes = encodePacket(decodePacket(fromBareHex(hex)).packet, fromHex(discovery.signerKey));
    expect(bareHex(bytes)).toBe(hex);
  });
});

const { key } = keyOf("sender");
const endpoint: NodeEndpoint = { ip: "10.0.0.1", udpPort: 32_323, tcpPort: 32_324, type: "en" };

test("each type has its number, and comes back", () => {
  for (const type of ["unknown", "cn", "pn", "en", "bn"] as const) {
    const packet = {
      kind: "pong",
      to: { ...endpoint, type },
      token: new Uint8Array(32),
      expires: 1,
    } as const;
    expect(decodePacket(encodePacket(packet, key)).packet).toEqual(packet);
  }
  const fields = packetFields({ kind: "find-node", target: new Uint8Array(64), wanted: "en", expires: 1 });
  expect(fields[1]).toEqual(Uint8Array.of(3));
});

test("twelve nodes with IPv6 addresses fit into a packet, thirteen do not", () => {
  const ip = "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff";
  const node: FoundNode = {
    id: new Uint8Array(64).fill(255),
    ip,
    udpPort: 65_535,
    tcpPort: 65_535,
    type: "en",
  };
  const packetOf = (count: number): Uint8Array =>
    encodePacket(
      { kind: "neighbors", wanted: "en", nodes: Array.from({ length: count }, () => node), expires: 2 ** 40 },
      key,
    );
  expect(packetOf(MAX_NODES_PER_PACKET).length).toBeLessThanOrEqual(MAX_PACKET_BYTES);
  expect(packetOf(MAX_NODES_PER_PACKET + 1).length).toBeGreaterThan(MAX_PACKET_BYTES);
});

test("packets that are too short, too long, changed, unsigned, untyped or incomplete are refused", () => {
  const good = encodePacket({ kind: "pong", to: endpoint, token: new Uint8Array(32), expires: 1 }, key);
  const changed = Uint8Array.from(good);
  changed[120] = (changed[120] ?? 0) ^ 1;
  for (const bytes of [
    new Uint8Array(0),
    good.subarray(0, 97),
    new Uint8Array(MAX_PACKET_BYTES + 1),
    changed,
  ])
    expect(() => decodePacket(bytes)).toThrow(
      expect.objectContaining({ name: "P2pError", code: "bad-message" }),
    );
  const short = { kind: "pong", to: endpoint, token: new Uint8Array(31), expires: 1 } as const;
  expect(() => decodePacket(encodePacket(short, key))).toThrow("31 bytes instead of 32");
});
