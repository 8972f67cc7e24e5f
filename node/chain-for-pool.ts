import type { Chain } from "./chain/chain.ts";
import { blobLimits } from "./config/blob-schedule.ts";
import type { StateView } from "./state/state.ts";
import type { PoolChain, PoolState } from "./txpool/pool-chain.ts";

/** The chain as the transaction pool sees it. */
export function chainForPool(chain: Chain): PoolChain {
  const head = (): number => chain.head().header.number;
  return {
    chainId: chain.config.chainId,
    maxBlobs: blobLimits(chain.config).max,
    head: () => chain.head().header,
    rules: (number) => chain.rules(number),
    stateAtHead: () => poolState(chain.stateAt(head())),
    unitPrice: (number) => chain.parameters(number).unitPrice,
    nextBaseFee: () => chain.nextBaseFee(),
    onHead: (listener) => {
      const ends = [chain.onHead(listener), chain.onRewind((_removed, block) => listener(block, []))];
      return () => {
        for (const end of ends) end();
      };
    },
  };
}

function poolState(view: StateView): PoolState {
  return {
    account: (address) => view.account(address),
    nonce: (address) => view.account(address)?.nonce ?? 0n,
    balance: (address) => view.account(address)?.balance ?? 0n,
  };
}
