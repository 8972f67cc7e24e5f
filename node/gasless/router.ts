/** The swap router of gasless transactions (KIP-247) and the tokens that it takes, as the contract registry names them. */
import type { Address } from "../bytes/brands.ts";
import { equalBytes } from "../bytes/compare.ts";
import { AbiTuple, encodeCall } from "../governance/abi.ts";
import type { ContractReader } from "../governance/contract-reader.ts";
import { GovernanceError } from "../governance/error.ts";
import { activeContract, REGISTRY } from "../governance/system-contracts.ts";

/** A swap router. */
export interface SwapRouter {
  readonly address: Address;
  /** Tokens that pay for gas on this node, each once. */
  readonly tokens: readonly Address[];
}

/** No router: the zero address, and no token. */
export const NO_ROUTER: SwapRouter = { address: new Uint8Array(20), tokens: [] };

const CONTRACT_NAME = "GaslessSwapRouter";

/** Returns the router after a block with those of its tokens that are allowed; `NO_ROUTER` without one. */
export function readSwapRouter(reader: ContractReader, allowed: "all" | readonly Address[]): SwapRouter {
  if (reader.code(REGISTRY).length === 0) return NO_ROUTER;
  try {
    const address = activeContract(reader, CONTRACT_NAME);
    if (address === undefined) return NO_ROUTER;
    const output = reader.call(address, encodeCall("getSupportedTokens()"));
    if (output === undefined) return NO_ROUTER;
    const tokens = new AbiTuple(output).list(0, (items, at) => items.address(at));
    return { address, tokens: allowedOf(tokens, allowed) };
  } catch (error) {
    if (error instanceof GovernanceError) return NO_ROUTER;
    throw error;
  }
}

function allowedOf(tokens: readonly Address[], allowed: "all" | readonly Address[]): readonly Address[] {
  return tokens.filter(
    (token, at) =>
      tokens.findIndex((other) => equalBytes(other, token)) === at &&
      (allowed === "all" || allowed.some((other) => equalBytes(other, token))),
  );
}
