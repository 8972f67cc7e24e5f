/**
 * Block gossip, as `BroadcastBlock` and `BroadcastBlockHash` of node/cn/handler.go@v2.2.2. The one place that
 * decides which peers learn of which block, and when. Some peers get the whole block, validators with the
 * blobs of its transactions; the others, and those that have voted for it, get its hash. Peers that know the
 * block get nothing.
 */
import type { Hash } from "../bytes/brands.ts";
import { equalBytes } from "../bytes/compare.ts";
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
  readonly chain: Pick<Chain, "head" | "onHead" | "totalBlockScore">;
  readonly nodeType: NodeType;
  readonly peers: () => Iterable<ChainPeer>;
  readonly randomFraction: RandomFraction;
  /** The pool, which still has the blobs of transactions that were just mined. */
  readonly pool: Pick<TxPool, "wire">;
}

/** Maximum length of a catch-up after which peers get the whole head block instead of its hash. */
const MAX_FULL_ANNOUNCEMENT = 4;

/**
 * Sends blocks to peers. A peer's block is forwarded once its header and transactions root are verified, and
 * its hash is announced once it is the head. A catch-up announces its last block only. Every other new head
 * is an own block, which is announced at once.
 */
export class BlockBroadcaster implements Disposable {
  readonly #deps: BlockGossipDeps;
  readonly #stopListening: () => void;
  /** Hash of the pushed block that is being imported. */
  #importing: Hash | undefined;
  #isCatchingUp = false;
  #isScheduled = false;

  /** Subscribes to the heads of the chain. */
  constructor(deps: BlockGossipDeps) {
    this.#deps = deps;
    this.#stopListening = deps.chain.onHead(({ hash }) => {
      const isImported = this.#importing !== undefined && equalBytes(hash, this.#importing);
      if (!isImported && !this.#isCatchingUp) this.#announceLater(true);
    });
  }

  /** Forwards a pushed block that has passed all checks except execution. `body` is its body as received. */
  forward(block: Block, body: Uint8Array): void {
    this.#broadcast(block, () => body);
  }

  /** Starts the import of a pushed block. The returned function ends it and announces an imported block. */
  beginImport(hash: Hash): (isImported: boolean) => void {
    this.#importing = hash;
    return (isImported) => {
      this.#importing = undefined;
      if (isImported) this.#announceLater(false);
    };
  }

  /**
   * Starts a catch-up. The returned function ends it and announces the head; `blocks` is the number of imported
   * blocks.
   */
  beginCatchUp(): (blocks: number) => void {
    this.#isCatchingUp = true;
    return (blocks) => {
      this.#isCatchingUp = false;
      if (blocks > 0) this.#announceLater(blocks <= MAX_FULL_ANNOUNCEMENT);
    };
  }

  /** Stops announcing own blocks. */
  [Symbol.dispose](): void {
    this.#stopListening();
  }

  /** Announces the newest head at the end of the current turn, once for all heads of the turn. */
  #announceLater(full: boolean): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#announceHead(full);
    });
  }

  /**
   * Announces the head. With `full`, the recipients of whole blocks get the block itself; otherwise all get its
   * hash.
   */
  #announceHead(full: boolean): void {
    const { chain, pool } = this.#deps;
    const block = chain.head();
    const body = (): Uint8Array => encodeRlpList(block.transactions.map((tx) => pool.wire(tx)));
    if (full) this.#broadcast(block, body);
    const { newBlockHashes } = messages;
    const payload = newBlockHashes.encode([{ hash: block.hash, number: block.header.number }]);
    const rest = recipientsOf(this.#deps, block);
    send([...rest.full, ...rest.hash], block, { code: newBlockHashes.code, payload });
  }

  /**
   * Sends a block with a known parent to the recipients of whole blocks. `body` returns the encoded
   * transactions for validators.
   */
  #broadcast(block: Block, body: () => Uint8Array): void {
    const full = recipientsOf(this.#deps, block).full.filter(
      ({ votedBlocks }) => !votedBlocks.has(block.hash),
    );
    const { header, transactions } = block;
    const td = this.#deps.chain.totalBlockScore(header.number - 1) + header.blockScore;
    const bare = full.filter(({ type }) => type !== "cn");
    const validators = full.filter(({ type }) => type === "cn");
    const { code } = messages.newBlock;
    const encode = (items: Uint8Array): Uint8Array => messages.newBlock.encode({ header, body: items, td });
    if (bare.length > 0) send(bare, block, { code, payload: encode(encodeRlpList(transactions.map(rawOf))) });
    if (validators.length > 0) send(validators, block, { code, payload: encode(body()) });
  }
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
