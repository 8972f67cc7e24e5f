/** Contracts after a block, asked by the protocol for itself: at no price, from nobody's account, nothing is kept. */
import type { ChainConfig } from "../config/chain-config.ts";
import { type Rules, rulesAt } from "../config/rules.ts";
import { createEvm, type EvmBlock } from "../evm/evm.ts";
import type { ContractReader } from "../governance/contract-reader.ts";
import type { Header } from "../model/header.ts";
import type { World } from "../state/world/world.ts";
import { evmBlock } from "./evm-block.ts";

/** What calls see of the chain. */
export interface CalledChain {
  readonly config: ChainConfig;
  /** The state after a block. Throws `StateError` `state-missing`. */
  readonly worldAt: (number: number) => World;
  readonly block: (number: number) => CalledBlock | undefined;
}

/** A block whose state is asked. */
export interface CalledBlock {
  readonly header: Header;
  readonly hash: Uint8Array;
  readonly author: () => Uint8Array | undefined;
}

/** Where a call runs. */
export interface CallSite {
  readonly world: World;
  readonly rules: Rules;
  readonly chainId: bigint;
  readonly block: EvmBlock;
}

/** Enough for every question that the protocol asks. */
const GAS = 300_000_000n;
const NOBODY = new Uint8Array(20);

/** Reads at the state after block `number`. Throws `StateError` `state-missing`. */
export function contractsAt(chain: CalledChain, number: number): ContractReader {
  const world = chain.worldAt(number);
  const site = siteAt(chain, number, world);
  return {
    account: (address) => world.account(address),
    code: (address) => world.code(address),
    balance: (address) => world.balance(address),
    call: (to, input) => callContract(site, to, input),
  };
}

function siteAt({ config, block }: CalledChain, number: number, world: World): CallSite {
  const found = block(number);
  if (found === undefined) throw new RangeError(`no block ${number} to ask contracts at`);
  const blockHash = (wanted: number): Uint8Array | undefined => block(wanted)?.hash;
  return {
    world,
    rules: rulesAt(config, number),
    chainId: config.chainId,
    block: evmBlock(found.header, { author: found.author() ?? NOBODY, blockHash }),
  };
}

/** What a contract returns to nobody; undefined when it fails. The world is afterwards as it was. */
function callContract(site: CallSite, to: Uint8Array, input: Uint8Array): Uint8Array | undefined {
  const { world } = site;
  const mark = world.snapshot();
  const transaction = { origin: NOBODY, gasPrice: 0n, feePayer: NOBODY, blobHashes: [] };
  try {
    const evm = createEvm({ ...site, transaction });
    const { output, failure } = evm.call({ caller: NOBODY, to, input, value: 0n, gas: GAS });
    return failure === undefined ? output.slice() : undefined;
  } finally {
    world.revert(mark);
  }
}
