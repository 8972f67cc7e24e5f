/**
 * Contract calls of the protocol after a block: from the zero address, free of charge, without effect on the
 * state.
 */
import type { Address, Hash } from "../bytes/brands.ts";
import type { ChainConfig } from "../config/chain-config.ts";
import { type Rules, rulesAt } from "../config/rules.ts";
import { createEvm, type EvmBlock } from "../evm/evm.ts";
import type { ContractReader } from "../governance/contract-reader.ts";
import type { Header } from "../model/header.ts";
import type { World } from "../state/world/world.ts";
import { evmBlock } from "./block-context.ts";

/** Dependencies of contract calls. */
export interface ContractCallDeps {
  readonly config: ChainConfig;
  /** Returns the state after a block. Throws `StateError` `state-missing`. */
  readonly worldAt: (number: number) => World;
  readonly block: (number: number) => ContractCallBlock | undefined;
}

/** A block whose state is read. */
export interface ContractCallBlock {
  readonly header: Header;
  readonly hash: Hash;
  readonly author: () => Address | undefined;
}

/** State, rules and block of a call. */
export interface CallEnvironment {
  readonly world: World;
  readonly rules: Rules;
  readonly chainId: bigint;
  readonly block: EvmBlock;
}

/** Gas limit of a call, enough for every use of the protocol. */
const GAS = 300_000_000n;
const ZERO_ADDRESS: Address = new Uint8Array(20);

/** Returns a reader of the state after block `number`. Throws `StateError` `state-missing`. */
export function contractsAt(chain: ContractCallDeps, number: number): ContractReader {
  const world = chain.worldAt(number);
  const site = environmentAt(chain, number, world);
  return {
    account: (address) => world.account(address),
    code: (address) => world.code(address),
    balance: (address) => world.balance(address),
    call: (to, input) => callContract(site, to, input),
  };
}

function environmentAt({ config, block }: ContractCallDeps, number: number, world: World): CallEnvironment {
  const found = block(number);
  if (found === undefined) throw new RangeError(`no block ${number} to ask contracts at`);
  const blockHash = (wanted: number): Hash | undefined => block(wanted)?.hash;
  return {
    world,
    rules: rulesAt(config, number),
    chainId: config.chainId,
    block: evmBlock(found.header, { author: found.author() ?? ZERO_ADDRESS, blockHash }),
  };
}

/**
 * Calls a contract and returns its output; undefined when the call fails. Reverts all changes of the world.
 */
function callContract(site: CallEnvironment, to: Address, input: Uint8Array): Uint8Array | undefined {
  const { world } = site;
  const mark = world.snapshot();
  const transaction = { origin: ZERO_ADDRESS, gasPrice: 0n, feePayer: ZERO_ADDRESS, blobHashes: [] };
  try {
    const evm = createEvm({ ...site, transaction });
    const { output, failure } = evm.call({ caller: ZERO_ADDRESS, to, input, value: 0n, gas: GAS });
    return failure === undefined ? output.slice() : undefined;
  } finally {
    world.revert(mark);
  }
}
