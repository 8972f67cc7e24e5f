/** Sync status, by method and by subscription. */
import { expect, test } from "@jest/globals";
import type { Chain, HeadListener } from "../../../node/chain/chain.ts";
import { Deliveries } from "../../../node/jsonrpc/feed.ts";
import { chainInfoMethods } from "../../../node/rpc/chain-info.ts";
import { nodeSubscriptions } from "../../../node/rpc/node-subscriptions.ts";
import { withCheckedNotifications } from "../../support/answer-schemas.ts";
import { askRow } from "../../support/ask-row.ts";
import { aSubscriber, onBug } from "./fixture.ts";

type Facts = Readonly<Record<"startingBlock" | "currentBlock" | "highestBlock", number>>;

/** A node whose new heads the test triggers. */
function aNode() {
  let facts: Facts | undefined;
  const heads = new Set<HeadListener>();
  const sync = { syncing: () => facts };
  const onHead = (listener: HeadListener) => {
    heads.add(listener);
    return () => heads.delete(listener);
  };
  const chain = { onHead } as unknown as Chain; // what is asked of it
  return {
    heads,
    rows: nodeSubscriptions({
      chain,
      sync,
      deliveries: new Deliveries({ onBug }),
      p2p: { onPeerEvent: () => () => undefined },
    }),
    methods: chainInfoMethods({ chain, clientName: "x", sync }),
    become: (next: Facts | undefined) => {
      facts = next;
      for (const listener of heads) listener(undefined as never, []); // nobody looks at the block
    },
  };
}

test.each(["chain", "eth"])("%s_subscribe tells of the beginning and the end, once each", (module) => {
  const node = aNode();
  const row = node.rows
    .map(withCheckedNotifications)
    .find((each) => each.module === module && each.name === "syncing");
  const reported: string[] = [];
  const end = row?.start(
    [],
    aSubscriber((json) => reported.push(json)),
  );
  node.become(undefined);
  node.become({ startingBlock: 3, currentBlock: 5, highestBlock: 900 });
  node.become({ startingBlock: 3, currentBlock: 6, highestBlock: 900 });
  node.become(undefined);
  expect(reported).toEqual([
    '{"syncing":true,"status":{"StartingBlock":3,"CurrentBlock":5,"HighestBlock":900,"PulledStates":0,"KnownStates":0}}',
    "false",
  ]);
  end?.();
  expect(node.heads.size).toBe(0);
});

test("eth_syncing returns the progress, or false", async () => {
  const node = aNode();
  expect(await askRow(node.methods, "chain_syncing")).toBe(false);
  node.become({ startingBlock: 3, currentBlock: 16, highestBlock: 900 });
  const facts = { startingBlock: "0x3", currentBlock: "0x10", highestBlock: "0x384" };
  expect(await askRow(node.methods, "chain_syncing")).toEqual({
    ...facts,
    pulledStates: "0x0",
    knownStates: "0x0",
  });
});
