/** Tests of notifications of logs that leave the chain. */
import { expect, test } from "@jest/globals";
import { fromHex } from "../../../node/bytes/hex.ts";
import type { Chain, HeadListener, RewindListener } from "../../../node/chain/chain.ts";
import { rpcProfiles } from "../../../node/compat/profiles.ts";
import { Deliveries } from "../../../node/jsonrpc/feed.ts";
import { decodeBlock } from "../../../node/model/block.ts";
import type { Receipt } from "../../../node/model/receipt.ts";
import { chainSubscriptions } from "../../../node/rpc/subscriptions.ts";
import { recordedBlocks } from "../../support/chain.ts";
import { aSubscriber, onBug } from "./fixture.ts";

const listen =
  <T>(all: Set<T>) =>
  (listener: T) => {
    all.add(listener);
    return () => all.delete(listener);
  };

test("subscribers are notified of logs that leave the chain, as removed", async () => {
  const block = decodeBlock((await recordedBlocks())[7] ?? new Uint8Array(0));
  const log = { address: fromHex(`0x${"ab".repeat(20)}`), topics: [], data: new Uint8Array(3) };
  const receipts = [{ transactionHash: new Uint8Array(32), logs: [log, log] }] as unknown as Receipt[]; // what is read
  const heads = new Set<HeadListener>();
  const rewinds = new Set<RewindListener>();
  const chain = { onHead: listen(heads), onRewind: listen(rewinds) } as unknown as Chain; // what is used
  const pool = { onPending: () => () => undefined };
  const logs = chainSubscriptions({
    chain,
    pool,
    ...rpcProfiles.service.options,
    deliveries: new Deliveries({ onBug }),
    clock: { now: () => 0 },
  }).find(({ module, name }) => module === "eth" && name === "logs");
  const reported: { logIndex: string; removed: boolean }[] = [];
  const end = logs?.start(
    [{}],
    aSubscriber((json) => reported.push(JSON.parse(json) as (typeof reported)[number])), // as asked for
  );
  for (const listener of heads) listener(block, receipts);
  for (const listener of rewinds) listener([{ block, receipts }], block);
  expect(reported.map(({ logIndex, removed }) => [logIndex, removed])).toEqual([
    ["0x0", false],
    ["0x1", false],
    ["0x0", true],
    ["0x1", true],
  ]);
  end?.();
  expect([heads.size, rewinds.size]).toEqual([0, 0]);
});
