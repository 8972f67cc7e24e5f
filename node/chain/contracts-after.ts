/** Contracts as they are after a block of the chain. */
import { type ContractCallBlock, contractsAt } from "../execution/contract-calls.ts";
import type { ContractReader } from "../governance/contract-reader.ts";
import type { Chain } from "./chain.ts";

/** The part of the chain that calls of contracts read. */
export type CalledChain = Pick<Chain, "config" | "worldAt" | "header" | "author">;

/** Returns a reader of the state after block `number`. Throws `StateError` `state-missing`. */
export function contractsAfter(chain: CalledChain, number: number): ContractReader {
  const block = (each: number): ContractCallBlock | undefined => {
    const found = chain.header(each);
    return found && { ...found, author: () => chain.author(found.header) };
  };
  return contractsAt({ config: chain.config, worldAt: (each) => chain.worldAt(each), block }, number);
}
