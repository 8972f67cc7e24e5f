/**
 * Tells peers of our head: the whole block to some, to validators with the blobs that its transactions came with; its
 * hash to the rest; nothing to those that have it.
 */
import { encodeRlpList } from "../bytes/rlp.ts";
import type { Chain } from "../chain/chain.ts";
import type { Block } from "../model/block.ts";
import type { Transaction } from "../model/transaction.ts";
import type { NodeType } from "../p2p/node-type.ts";
import type { TxPool } from "../txpool/pool.ts";
import type { ChainPeer } from "./chain-peer.ts";
import { messages } from "./messages.ts";
import { blockRecipients, type Chance } from "./recipients.ts";

/** What passing on needs. */
export interface BlockGossipParts {
  readonly chain: Pick<Chain, "head" | "totalBlockScore">;
  readonly nodeType: NodeType;
  readonly peers: () => Iterable<ChainPeer>;
  readonly chance: Chance;
  /** Has the blobs of transactions that were in it until just now. */
  readonly pool: Pick<TxPool, "wire">;
}

/** Tells of the head: `full` sends the block itself where the rules want it, otherwise all get the hash. */
export function tellHead({ chain, nodeType, peers, chance, pool }: BlockGossipParts, full: boolean): void {
  const block = chain.head();
  const lacking = [...peers()].filter((peer) => !peer.knownBlocks.has(block.hash));
  const recipients = blockRecipients(nodeType, lacking, chance);
  const pushed = full ? recipients.full : [];
  const named = full ? recipients.hash : [...recipients.full, ...recipients.hash];
  if (pushed.length > 0) {
    const td = chain.totalBlockScore(block.header.number);
    const { code } = messages.block;
    const bare = pushed.filter(({ type }) => type !== "cn");
    const validators = pushed.filter(({ type }) => type === "cn");
    if (bare.length > 0) send(bare, block, { code, payload: encodePushed(block, td, rawOf) });
    if (validators.length > 0) {
      send(validators, block, { code, payload: encodePushed(block, td, (tx) => pool.wire(tx)) });
    }
  }
  if (named.length > 0) {
    const { number } = block.header;
    const payload = messages.announced.encode([{ hash: block.hash, number }]);
    send(named, block, { code: messages.announced.code, payload });
  }
}

function encodePushed(
  { header, transactions }: Block,
  td: bigint,
  shown: (tx: Transaction) => Uint8Array,
): Uint8Array {
  return messages.block.encode({ header, body: encodeRlpList(transactions.map(shown)), td });
}

function rawOf({ raw }: Transaction): Uint8Array {
  return raw;
}

function send(
  peers: readonly ChainPeer[],
  { hash }: Block,
  { code, payload }: { readonly code: number; readonly payload: Uint8Array },
): void {
  for (const peer of peers) {
    if (peer.link.send(code, payload)) peer.knownBlocks.add(hash);
  }
}
