/** What single blocks do to the state by themselves, after their reward: rebalancing, and the registry. */
import type { ChainConfig } from "../config/chain-config.ts";
import { rulesAt } from "../config/rules.ts";
import { createEvm } from "../evm/evm.ts";
import type { ContractReader } from "../governance/contract-reader.ts";
import type { Header } from "../model/header.ts";
import type { World } from "../state/world/world.ts";
import type { CallSite } from "./contract-calls.ts";
import { evmBlock } from "./evm-block.ts";
import { KIP103_QUESTIONS, KIP160_QUESTIONS, rebalanceTreasury } from "./rebalance.ts";
import { installRegistry } from "./registry.ts";

/** The block that is finalized. */
export interface FinalizedBlock {
  readonly config: ChainConfig;
  readonly header: Header;
  readonly blockHash: (number: number) => Uint8Array | undefined;
  /** Contracts after the parent. */
  readonly parentContracts: () => ContractReader;
}

/** Gas of each question of KIP-103. */
const GAS = 100_000_000n;
const NOBODY = new Uint8Array(20);

/** Changes the world of a block after its reward was paid. Most blocks change nothing. */
export function changeSystem(world: World, block: FinalizedBlock): void {
  const { config, header, parentContracts } = block;
  const { number } = header;
  if (config.forks.get("kip160CompatibleBlock") === number) {
    const ask = (input: Uint8Array): Uint8Array | undefined =>
      parentContracts().call(config.kip160ContractAddress, input);
    rebalanceTreasury(world, { questions: KIP160_QUESTIONS, ask, number });
  } else if (config.forks.get("kip103CompatibleBlock") === number) {
    const ask = callInPlace(world, block);
    rebalanceTreasury(world, { questions: KIP103_QUESTIONS, ask, number });
  }
  if (rulesAt(config, number).randao && !rulesAt(config, number - 1).randao) {
    installRegistry(world, config.randaoRegistry);
  }
}

/**
 * KIP-103 asks in the state of the block itself, and each question raises the nonce of the zero address, also when the
 * rebalancing is refused: an accident that has become part of the protocol. A question that fails counts as one that
 * was answered with nothing; only a contract that is not there is a failure.
 */
function callInPlace(
  world: World,
  { config, header, blockHash }: FinalizedBlock,
): (input: Uint8Array) => Uint8Array | undefined {
  const site: CallSite = {
    world,
    rules: rulesAt(config, header.number),
    chainId: config.chainId,
    block: evmBlock(header, { author: NOBODY, blockHash }),
  };
  const to = config.kip103ContractAddress;
  const transaction = { origin: NOBODY, gasPrice: 0n, feePayer: NOBODY, blobHashes: [] };
  return (input) => {
    world.setNonce(NOBODY, world.nonce(NOBODY) + 1n);
    const evm = createEvm({ ...site, transaction });
    const { output, failure } = evm.call({ caller: NOBODY, to, input, value: 0n, gas: GAS });
    if (failure === undefined && output.length > 0) return output.slice();
    return world.code(to).length === 0 ? undefined : new Uint8Array(0);
  };
}
