/**
 * State changes of single blocks after their reward: treasury rebalancing, installation of the contract
 * registry, and the credit contract of the main network (`consensus/istanbul/backend/engine.go@v2.2.2`).
 */
import type { Address, Hash } from "../bytes/brands.ts";
import type { ChainConfig } from "../config/chain-config.ts";
import { mainnetCode } from "../config/presets/mainnet-code.ts";
import { rulesAt } from "../config/rules.ts";
import { createEvm } from "../evm/evm.ts";
import type { ContractReader } from "../governance/contract-reader.ts";
import { emptyAccount } from "../model/account.ts";
import type { Header } from "../model/header.ts";
import type { World } from "../state/world/world.ts";
import { evmBlock } from "./block-context.ts";
import type { CallEnvironment } from "./contract-calls.ts";
import { KIP103_METHODS, KIP160_METHODS, rebalanceTreasury } from "./rebalance.ts";
import { installRegistry } from "./registry.ts";

/** Dependencies of the changes. */
export interface SystemChangeDeps {
  readonly config: ChainConfig;
  readonly header: Header;
  readonly blockHash: (number: number) => Hash | undefined;
  /** Returns the contracts after the parent. */
  readonly parentContracts: () => ContractReader;
}

/** Gas limit of each call of KIP-103. */
const GAS = 100_000_000n;
const ZERO_ADDRESS: Address = new Uint8Array(20);
const MAINNET_CHAIN_ID = 8217n;

/** Applies the changes of a block after its reward; most blocks have none. */
export function applySystemChanges(world: World, block: SystemChangeDeps): void {
  const { config, header, parentContracts } = block;
  const { number } = header;
  const isKip103 = config.forks.get("kip103CompatibleBlock") === number;
  if (config.forks.get("kip160CompatibleBlock") === number) {
    const call = (input: Uint8Array): Uint8Array | undefined =>
      parentContracts().call(config.kip160ContractAddress, input);
    rebalanceTreasury(world, { methods: KIP160_METHODS, onlyShrinks: isKip103, call, number });
  } else if (isKip103) {
    const call = callInPlace(world, block);
    rebalanceTreasury(world, { methods: KIP103_METHODS, onlyShrinks: true, call, number });
  }
  if (rulesAt(config, number).randao && !rulesAt(config, number - 1).randao) {
    installRegistry(world, config.randaoRegistry);
  }
  if (config.chainId === MAINNET_CHAIN_ID) changeCredit(world, config, number);
}

/**
 * Replaces the code of the credit contract in the block before Kaia, and makes the account externally owned in the
 * block before Osaka; its balance and nonce stay (`CreateEOA`, `blockchain/state/statedb.go@v2.2.2`).
 */
function changeCredit(world: World, { forks }: ChainConfig, number: number): void {
  if (world.code(ZERO_ADDRESS).length === 0) return;
  if (forks.get("kaiaCompatibleBlock") === number + 1) world.setCode(ZERO_ADDRESS, mainnetCode().creditV2);
  if (forks.get("osakaCompatibleBlock") !== number + 1) return;
  const [balance, nonce] = [world.balance(ZERO_ADDRESS), world.nonce(ZERO_ADDRESS)];
  world.destroy(ZERO_ADDRESS); // with its storage
  world.endTransaction();
  world.setAccount(ZERO_ADDRESS, { ...emptyAccount(), balance, nonce });
}

/**
 * Returns the calls of KIP-103. They run in the state of the block, and each one raises the nonce of the zero
 * address, also when the rebalancing is refused; this accident of the Go node is part of the protocol. A
 * failed call counts as an empty result, a missing contract as a failure.
 */
function callInPlace(
  world: World,
  { config, header, blockHash }: SystemChangeDeps,
): (input: Uint8Array) => Uint8Array | undefined {
  const site: CallEnvironment = {
    world,
    rules: rulesAt(config, header.number),
    chainId: config.chainId,
    block: evmBlock(header, { author: ZERO_ADDRESS, blockHash }),
  };
  const to = config.kip103ContractAddress;
  const transaction = { origin: ZERO_ADDRESS, gasPrice: 0n, feePayer: ZERO_ADDRESS, blobHashes: [] };
  return (input) => {
    world.setNonce(ZERO_ADDRESS, world.nonce(ZERO_ADDRESS) + 1n);
    const evm = createEvm({ ...site, transaction });
    const { output, failure } = evm.call({ caller: ZERO_ADDRESS, to, input, value: 0n, gas: GAS });
    if (failure === undefined && output.length > 0) return output.slice();
    return world.code(to).length === 0 ? undefined : new Uint8Array(0);
  };
}
