/** Header of the genesis block (`blockchain/genesis.go@v2.2.2`). */
import type { Hash } from "../bytes/brands.ts";
import { DEFAULT_BLOCK_SCORE, type Genesis } from "../config/genesis.ts";
import { genesisGovernance } from "../config/genesis-governance.ts";
import { rulesAt } from "../config/rules.ts";
import { EMPTY_BLOOM } from "./bloom.ts";
import type { Header } from "./header.ts";
import { listRoot } from "./list-root.ts";

/** Returns the header of block 0 for the state root of the genesis allocation. */
export function genesisHeader(genesis: Genesis, stateRoot: Hash): Header {
  const { config } = genesis;
  const rules = rulesAt(config, 0);
  const emptyRoot = listRoot(config.deriveShaImpl, []);
  return {
    parentHash: genesis.parentHash,
    rewardbase: new Uint8Array(20),
    stateRoot,
    transactionsRoot: emptyRoot,
    receiptsRoot: emptyRoot,
    bloom: EMPTY_BLOOM,
    blockScore: genesis.blockScore ?? DEFAULT_BLOCK_SCORE,
    number: Number(genesis.number),
    gasUsed: genesis.gasUsed,
    time: genesis.timestamp,
    timeFoS: 0,
    extra: genesis.extraData,
    governance: genesisGovernance(config),
    vote: new Uint8Array(0),
    baseFee: rules.baseFee ? config.governance.kip71.lowerBoundBaseFee : undefined,
    randomReveal: rules.randao ? new Uint8Array(96) : undefined,
    mixHash: rules.randao ? new Uint8Array(32) : undefined,
    blobGasUsed: rules.blobGas ? 0n : undefined,
    excessBlobGas: rules.blobGas ? 0n : undefined,
  };
}
