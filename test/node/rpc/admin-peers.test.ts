/** Peers in `admin`, `net` and their subscription. */
import { expect, test } from "@jest/globals";
import { bareHex } from "../../../node/bytes/hex.ts";
import { type ProfileName } from "../../../node/compat/profiles.ts";
import { Deliveries } from "../../../node/jsonrpc/feed.ts";
import { nodeKeyOf } from "../../../node/p2p/node-key.ts";
import type { PeerEvent, PeerInfo } from "../../../node/p2p/protocol.ts";
import { adminPeersMethods } from "../../../node/rpc/admin-peers.ts";
import { netMethods } from "../../../node/rpc/net.ts";
import { nodeSubscriptions } from "../../../node/rpc/node-subscriptions.ts";
import { adaptRows } from "../../support/adapt-rows.ts";
import { withCheckedNotifications } from "../../support/answer-schemas.ts";
import { askRow } from "../../support/ask-row.ts";
import { aSubscriber, onBug } from "./fixture.ts";

const id = bareHex(nodeKeyOf(new Uint8Array(32).fill(7)).id);
const URL = `kni://${id}@127.0.0.1:32323`;
const network = {
  localAddress: "127.0.0.1:1",
  remoteAddress: "127.0.0.1:2",
  inbound: false,
  trusted: false,
  static: true,
  nodeType: "en",
} as const;

/** A node with these peers; it keeps a peer that can be dialled. */
function asker(name: ProfileName, peers: readonly PeerInfo[] = []) {
  const kept = new Set<string>();
  const p2p = {
    peers: () => [...peers],
    addPeer: (url: string) => url.startsWith("kni://") && kept.add(url).size > 0,
    removePeer: (url: string) => kept.delete(url),
    countByType: () => ({ total: peers.length, ...(peers.length > 0 ? { en: peers.length } : {}) }),
    listening: false,
  };
  const rows = [...adminPeersMethods({ p2p }), ...netMethods({ networkId: 1001, clientName: "x", p2p })];
  return (method: string, ...params: readonly unknown[]) => askRow(adaptRows(name, rows), method, ...params);
}

const protocols = { istanbul: { version: 65, blockscore: 123, head: `0x${"22".repeat(32)}` } };
const peer: PeerInfo = { id, name: "x", caps: ["istanbul/65"], networks: [network], protocols };

test("a peer has one network and a difficulty in the service profile, networks and a block score in the others", async () => {
  const { blockscore: difficulty, ...rest } = protocols.istanbul;
  const facts = { id, name: "x", caps: ["istanbul/65"] };
  expect(await asker("service", [peer])("admin_peers")).toEqual([
    { ...facts, network, protocols: { istanbul: { ...rest, difficulty } } },
  ]);
  for (const profile of ["klaytn", "kaia"] as const) {
    expect(await asker(profile, [peer])("admin_peers")).toEqual([
      { ...facts, networks: [network], protocols },
    ]);
  }
  const two = { ...peer, networks: [network, network] };
  expect(await asker("service", [two])("admin_peers")).toMatchObject([{ networks: [network, network] }]);
});

test("static peers are added and removed; an invalid URL is false in the service profile and an error in the others", async () => {
  const service = asker("service");
  expect([await service("admin_addPeer", URL), await service("admin_addPeer", "nobody")]).toEqual([
    true,
    false,
  ]);
  expect([await service("admin_removePeer", URL), await service("admin_removePeer", URL)]).toEqual([
    true,
    false,
  ]);
  const kaia = asker("kaia");
  expect([await kaia("admin_addPeer", URL), await kaia("admin_removePeer", URL)]).toEqual([true, true]);
  expect(await kaia("admin_removePeer", URL)).toBe(true);
  for (const name of ["admin_addPeer", "admin_removePeer"]) {
    await expect(kaia(name, "kni://12@127.0.0.1:1")).rejects.toMatchObject({
      code: -32000,
      message: expect.stringMatching(/^invalid kni: invalid node ID \(/),
    });
  }
});

test("net_peerCount counts peers, and net_listening is always true on a Go node", async () => {
  const service = asker("service", [peer]);
  expect(await service("net_peerCount")).toBe("0x1");
  expect(await service("net_peerCountByType")).toEqual({ total: 1, en: 1 });
  expect([await service("net_listening"), await asker("klaytn")("net_listening")]).toEqual([false, true]);
});

test("a subscriber gets the events of peers until it unsubscribes", () => {
  const listeners = new Set<(event: PeerEvent) => void>();
  const row = nodeSubscriptions({
    deliveries: new Deliveries({ onBug }),
    chain: { onHead: () => () => undefined },
    sync: { syncing: () => undefined },
    p2p: {
      onPeerEvent: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
  })
    .map(withCheckedNotifications)
    .find(({ name }) => name === "peerEvents");
  const reported: string[] = [];
  const end = row?.start(
    [],
    aSubscriber((json) => reported.push(json)),
  );
  const events: readonly PeerEvent[] = [
    { type: "add", peer: id },
    { type: "msgrecv", peer: id, protocol: "istanbul", code: 3, size: 0 },
  ];
  for (const event of events) for (const listener of listeners) listener(event);
  expect(reported).toEqual([
    `{"type":"add","peer":"${id}"}`,
    `{"type":"msgrecv","peer":"${id}","protocol":"istanbul","msg_code":3,"msg_size":0}`,
  ]);
  end?.();
  expect(listeners.size).toBe(0);
});
