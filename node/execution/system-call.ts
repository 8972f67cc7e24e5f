/** Calls that a block makes by itself, from nobody's account and at no price. */
import { fromBareHex } from "../bytes/hex.ts";
import { createEvm } from "../evm/evm.ts";
import type { World } from "../state/world/world.ts";
import type { BlockContext } from "./transaction.ts";

/** Who such calls come from. */
const SYSTEM_ADDRESS = fromBareHex("fffffffffffffffffffffffffffffffffffffffe");
/** Where every block first stores its parent's hash (EIP-2935), if there is a contract to do it. */
const HISTORY_STORAGE = fromBareHex("0000f90827f1c53a10cb7a02335b175320002935");
const SYSTEM_GAS = 30_000_000n;

/** What happens before a block's transactions (execution.md 2, step 1). */
export function beginBlock(world: World, context: BlockContext): void {
  if (!context.rules.parentHashCall) return;
  systemCall(world, { to: HISTORY_STORAGE, input: context.header.parentHash }, context);
  world.endTransaction();
}

/** Calls a contract as the system; a failure leaves nothing behind. The caller ends the world's transaction. */
function systemCall(
  world: World,
  { to, input }: { readonly to: Uint8Array; readonly input: Uint8Array },
  { rules, chainId, block }: Pick<BlockContext, "rules" | "chainId" | "block">,
): ReturnType<ReturnType<typeof createEvm>["call"]> {
  const transaction = { origin: SYSTEM_ADDRESS, gasPrice: 0n, feePayer: SYSTEM_ADDRESS, blobHashes: [] };
  world.warmAddress(to);
  const evm = createEvm({ world, rules, chainId, block, transaction });
  return evm.call({ caller: SYSTEM_ADDRESS, to, input, value: 0n, gas: SYSTEM_GAS });
}
