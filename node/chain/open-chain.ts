/** Opens the chain of a data directory: configuration from its rows, readers and the writer over them. */
import type { Address, Hash } from "../bytes/brands.ts";
import type { ChainConfig } from "../config/chain-config.ts";
import { rulesAt } from "../config/rules.ts";
import { nextBaseFee } from "../execution/base-fee.ts";
import { contractsAt } from "../execution/contract-calls.ts";
import type { ContractReader } from "../governance/contract-reader.ts";
import type { GovernanceBlock } from "../governance/governance.ts";
import { type Governance, openGovernance } from "../governance/governance.ts";
import type { Block } from "../model/block.ts";
import type { Header } from "../model/header.ts";
import type { Log } from "../observe/log.ts";
import type { Pause } from "../runtime/scheduler.ts";
import type { State } from "../state/state.ts";
import type { Store } from "../store/store.ts";
import { BadBlocks } from "./bad-blocks.ts";
import { BlockRows } from "./block-rows.ts";
import type { Chain } from "./chain.ts";
import { ChainError } from "./error.ts";
import { oldestBody } from "./kept-blocks.ts";
import { NextHeader } from "./next-header.ts";
import { Publisher } from "./publisher.ts";
import { storedConfig } from "./stored-config.ts";
import { Writer } from "./writer.ts";
import type { VerifyHeader } from "./writer-deps.ts";

/** The rules of consensus, as far as the chain needs them. */
export interface HeaderRules {
  verify: (config: ChainConfig, governance: Governance, nextHeader: NextHeader) => VerifyHeader;
  /** Proposer of a block by its seal. */
  author: (header: Header) => Address | undefined;
}

/** Databases and rules of a chain. */
export interface ChainDeps {
  readonly store: Store;
  readonly state: State;
  readonly headerRules: HeaderRules;
  readonly pause: Pause;
  readonly log: Log;
  /** False while the disk is nearly full; true when absent. */
  readonly hasRoom?: (() => boolean) | undefined;
  /** Transactions of the blocks that are kept decoded; those of a node when absent. */
  readonly keptTransactions?: number | undefined;
}

/** An open chain: for readers, and for those who add blocks. */
export interface OpenChain {
  readonly chain: Chain;
  readonly writer: Writer;
  readonly governance: Governance;
  readonly nextHeader: NextHeader;
}

/** Opens the chain. Throws `ChainError` `no-genesis` in an empty database. */
export function openChain(deps: ChainDeps): OpenChain {
  const { store, state, headerRules, pause, log } = deps;
  const config = storedConfig(store);
  const rows = new BlockRows(store, config.chainId, deps.keptTransactions);
  const genesis = requireBlock(rows.block(0), 0);
  const head = requireBlock(rows.block(state.number), state.number);
  const publisher = new Publisher(head, log);
  const badBlocks = new BadBlocks(store, log);
  const known = knownBlocks(deps, rows);
  const called = { config, block: known, worldAt: (number: number) => state.worldAt(number) };
  const contracts = (number: number): ContractReader => contractsAt(called, number);
  const tip = (): number => state.number;
  const governance = openGovernance({ config, rows: store, tip, block: known, contracts });
  const nextHeader = new NextHeader();
  const verifyHeader = headerRules.verify(config, governance, nextHeader);
  const writer = new Writer({
    config,
    store,
    state,
    rows,
    publisher,
    badBlocks,
    verifyHeader,
    governance,
    contracts,
    pause,
    hasRoom: deps.hasRoom ?? (() => true),
  });
  const { author } = headerRules;
  const parts = { config, store, state, rows, genesis, publisher, badBlocks, governance, author };
  const chain = readChain({ ...parts, nextHeader });
  return { chain, writer, governance, nextHeader };
}

/** Parts that readers of the chain use. */
interface ReadDeps {
  readonly config: ChainConfig;
  readonly store: Store;
  readonly state: State;
  readonly rows: BlockRows;
  readonly genesis: Block;
  readonly publisher: Publisher;
  readonly badBlocks: BadBlocks;
  readonly governance: Governance;
  readonly nextHeader: NextHeader;
  readonly author: HeaderRules["author"];
}

function readChain(deps: ReadDeps): Chain {
  const { config, store, state, rows, genesis, publisher, badBlocks, governance, nextHeader, author } = deps;
  const upToHead = (number: number | undefined): number | undefined =>
    number !== undefined && number <= publisher.head.header.number ? number : undefined;
  const upTo = <T>(number: number, read: (number: number) => T): Block | T | undefined => {
    if (number === publisher.head.header.number) return publisher.head;
    return upToHead(number) === undefined ? undefined : read(number);
  };
  const block = (number: number): Block | undefined => upTo(number, (each) => rows.block(each));
  let oldest = oldestBody(store); // in memory, because kept answers are compared with it at each call
  const numberOf = (hash: Hash): number | undefined => upToHead(rows.number(hash));
  return {
    config,
    genesisHash: genesis.hash,
    head: () => publisher.head,
    block,
    oldestBody: () => oldest,
    forgetBodies: (number) => {
      oldest = Math.max(oldest, number);
      rows.forgetBefore(number);
    },
    header: (number) => upTo(number, (each) => rows.header(each)),
    number: numberOf,
    blockByHash: (hash) => {
      const number = numberOf(hash);
      return number === undefined ? undefined : block(number);
    },
    receipts: (number) => (upToHead(number) === undefined ? undefined : rows.receipts(number)),
    findTransaction: (hash) => {
      const place = rows.place(hash);
      return upToHead(place?.block.header.number) === undefined ? undefined : place;
    },
    stateAt: (number) => state.view(number),
    worldAt: (number) => state.worldAt(number),
    rules: (number) => rulesAt(config, number),
    parameters: (number) => governance.parameters(number),
    nextBaseFee: () => {
      const { header } = publisher.head;
      const next = header.number + 1;
      if (!rulesAt(config, next).baseFee) return undefined;
      return nextHeader.at(next).baseFee ?? nextBaseFee(header, governance.parameters(next).baseFee);
    },
    gasLimit: (number) => nextHeader.gasLimitAt(number),
    author,
    totalBlockScore: (number) => genesis.header.blockScore + BigInt(number),
    badBlocks: () => badBlocks.all(),
    onHead: (listener) => publisher.listen(listener),
    onRewind: (listener) => publisher.listenToRewinds(listener),
  };
}

/** Blocks that are there, durable or not, and who made them. */
function knownBlocks({ state, headerRules }: ChainDeps, rows: BlockRows) {
  return (number: number): GovernanceBlock | undefined => {
    const block = number > state.number ? undefined : rows.header(number);
    if (block === undefined) return undefined;
    const { header, hash } = block;
    return { header, hash, author: () => headerRules.author(header) };
  };
}

function requireBlock(block: Block | undefined, number: number): Block {
  if (block === undefined)
    throw new ChainError("bad-block", `block ${number} is missing from the database`, { block: number });
  return block;
}
