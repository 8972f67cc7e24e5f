/** Contracts after a block, asked by the protocol for itself. */
import type { ContractReader } from "../governance/contract-reader.ts";
import type { State } from "../state/state.ts";

/** Reads at the state after block `number`. Throws `StateError` `state-missing`. */
export function contractsAt(state: Pick<State, "worldAt">, number: number): ContractReader {
  const world = state.worldAt(number);
  return {
    account: (address) => world.account(address),
    code: (address) => world.code(address),
    balance: (address) => world.balance(address),
    call: () => undefined,
  };
}
