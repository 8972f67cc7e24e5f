/** System calls of a block (EIP-2935): from the system address, free of charge. */
import type { Address } from "../bytes/brands.ts";
import { fromBareHex } from "../bytes/hex.ts";
import { createEvm } from "../evm/evm.ts";
import type { World } from "../state/world/world.ts";
import type { BlockContext } from "./transaction.ts";

/** Caller of system calls. */
const SYSTEM_ADDRESS: Address = fromBareHex("fffffffffffffffffffffffffffffffffffffffe");
/** History storage contract, which stores the parent's hash (EIP-2935). */
const HISTORY_STORAGE: Address = fromBareHex("0000f90827f1c53a10cb7a02335b175320002935");
const SYSTEM_GAS = 30_000_000n;

/** Runs the system call before a block's transactions: stores the parent's hash. */
export function beginBlock(world: World, context: BlockContext): void {
  if (!context.rules.parentHashCall) return;
  systemCall(world, { to: HISTORY_STORAGE, input: context.header.parentHash }, context);
  world.endTransaction();
}

/**
 * Calls a contract from the system address; a failed call changes nothing. The caller ends the world's
 * transaction.
 */
function systemCall(
  world: World,
  { to, input }: { readonly to: Address; readonly input: Uint8Array },
  { rules, chainId, block }: Pick<BlockContext, "rules" | "chainId" | "block">,
): ReturnType<ReturnType<typeof createEvm>["call"]> {
  const transaction = { origin: SYSTEM_ADDRESS, gasPrice: 0n, feePayer: SYSTEM_ADDRESS, blobHashes: [] };
  world.warmAddress(to);
  const evm = createEvm({ world, rules, chainId, block, transaction });
  return evm.call({ caller: SYSTEM_ADDRESS, to, input, value: 0n, gas: SYSTEM_GAS });
}
