/**
 * Block gossip, as `BroadcastBlock` and `BroadcastBlockHash` of node/cn/handler.go@v2.2.2. Some peers get the
 * whole block, validators with the blobs of its transactions; the others, and those that have voted for it,
 * get its hash. Peers that know the block get nothing. A peer's block is forwarded once its header and
 * transactions root are verified, and its hash is announced once it is the head. An own block is the head
 * already.
 */
import { encodeRlpList } from "../bytes/rlp.ts";
import type { Chain } from "../chain/chain.ts";
import type { Block } from "../model/block.ts";
import type { Transaction } from "../model/transaction.ts";
import type { RandomFraction } from "../p2p/discovery/tables.ts";
import type { NodeType } from "../p2p/node-type.ts";
import type { TxPool } from "../txpool/pool.ts";
import type { ChainPeer } from "./chain-peer.ts";
import { messages } from "./messages.ts";
import { blockRecipients } from "./recipients.ts";

/** Dependencies of block gossip. */
export interface BlockGossipDeps {
  readonly chain: Pick<Chain, "head" | "totalBlockScore">;
  readonly nodeType: NodeType;
  readonly peers: () => Iterable<ChainPeer>;
  readonly randomFraction: RandomFraction;
  /** The pool, which still has the blobs of transactions that were just mined. */
  readonly pool: Pick<TxPool, "wire">;
}

/**
 * Announces the head. With `full`, the recipients of whole blocks get the block itself; otherwise all get its
 * hash.
 */
export function announceHead(deps: BlockGossipDeps, full: boolean): void {
  const block = deps.chain.head();
  const { pool } = deps;
  const body = (): Uint8Array => encodeRlpList(block.transactions.map((tx) => pool.wire(tx)));
  if (full) broadcastBlock(deps, block, body);
  const { newBlockHashes } = messages;
  const payload = newBlockHashes.encode([{ hash: block.hash, number: block.header.number }]);
  const rest = recipientsOf(deps, block);
  send([...rest.full, ...rest.hash], block, { code: newBlockHashes.code, payload });
}

/**
 * Sends a block with a known parent to the recipients of whole blocks. `body` returns the encoded
 * transactions for validators.
 */
export function broadcastBlock(deps: BlockGossipDeps, block: Block, body: () => Uint8Array): void {
  const full = recipientsOf(deps, block).full.filter(({ votedBlocks }) => !votedBlocks.has(block.hash));
  const { header, transactions } = block;
  const td = deps.chain.totalBlockScore(header.number - 1) + header.blockScore;
  const bare = full.filter(({ type }) => type !== "cn");
  const validators = full.filter(({ type }) => type === "cn");
  const { code } = messages.newBlock;
  const encode = (items: Uint8Array): Uint8Array => messages.newBlock.encode({ header, body: items, td });
  if (bare.length > 0) send(bare, block, { code, payload: encode(encodeRlpList(transactions.map(rawOf))) });
  if (validators.length > 0) send(validators, block, { code, payload: encode(body()) });
}

function recipientsOf(
  { nodeType, peers, randomFraction }: BlockGossipDeps,
  { hash }: Block,
): ReturnType<typeof blockRecipients<ChainPeer>> {
  const lacking = [...peers()].filter((peer) => !peer.knownBlocks.has(hash));
  return blockRecipients(nodeType, lacking, randomFraction);
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
