/**
 * Tells peers of blocks: the whole block to some, to validators with the blobs that its transactions came with; its
 * hash to the rest and to those who have voted for it; nothing to those that have it. A block of a peer is passed on as soon as its header and its
 * transactions root are found good, its hash is told once it is our head; one that was made here is our head already.
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
export function tellHead(parts: BlockGossipParts, full: boolean): void {
  const block = parts.chain.head();
  const { pool } = parts;
  const body = (): Uint8Array => encodeRlpList(block.transactions.map((tx) => pool.wire(tx)));
  if (full) pushBlock(parts, block, body);
  const { announced } = messages;
  const payload = announced.encode([{ hash: block.hash, number: block.header.number }]);
  const rest = recipientsOf(parts, block);
  send([...rest.full, ...rest.hash], block, { code: announced.code, payload });
}

/** Sends a block whose parent we have to whom the rules want it sent; `body` is what validators get of it. */
export function pushBlock(parts: BlockGossipParts, block: Block, body: () => Uint8Array): void {
  const full = recipientsOf(parts, block).full.filter(({ votedBlocks }) => !votedBlocks.has(block.hash));
  const { header, transactions } = block;
  const td = parts.chain.totalBlockScore(header.number - 1) + header.blockScore;
  const bare = full.filter(({ type }) => type !== "cn");
  const validators = full.filter(({ type }) => type === "cn");
  const { code } = messages.block;
  const encode = (items: Uint8Array): Uint8Array => messages.block.encode({ header, body: items, td });
  if (bare.length > 0) send(bare, block, { code, payload: encode(encodeRlpList(transactions.map(rawOf))) });
  if (validators.length > 0) send(validators, block, { code, payload: encode(body()) });
}

function recipientsOf(
  { nodeType, peers, chance }: BlockGossipParts,
  { hash }: Block,
): ReturnType<typeof blockRecipients<ChainPeer>> {
  const lacking = [...peers()].filter((peer) => !peer.knownBlocks.has(hash));
  return blockRecipients(nodeType, lacking, chance);
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
