/** Answers of the methods of a development chain in which Anvil differs from Hardhat Network. */
import { nothing } from "../jsonrpc/codecs/plain.ts";
import type { AnyDefinition, Method } from "../jsonrpc/method.ts";

/** Names under which a method answers null in Anvil, and true or false in Hardhat Network. */
const ANSWERED_WITH_NULL: ReadonlySet<string> = new Set([
  "anvil_mine",
  "anvil_setAutomine",
  "anvil_setIntervalMining",
  "anvil_setBalance",
  "anvil_addBalance",
  "tenderly_setBalance",
  "tenderly_addBalance",
  "anvil_setNonce",
  "anvil_setCode",
  "anvil_setCoinbase",
  "anvil_setNextBlockPrevRandao",
  "anvil_impersonateAccount",
  "anvil_stopImpersonatingAccount",
  "anvil_setLoggingEnabled",
  "anvil_reset",
]);

/** Returns the methods of a row: that row, and one for its names under which Anvil answers null. */
export function withAnvilAnswers(row: Method): Method[] {
  const [first, ...more] = row.aliases.filter((name) => ANSWERED_WITH_NULL.has(name));
  if (first === undefined) return [row];
  const others = row.aliases.filter((name) => !ANSWERED_WITH_NULL.has(name));
  return [
    row.adapt((definition) => ({ ...definition, aliases: others })),
    row.adapt((definition) => answeredWithNull(definition, [first, more])),
  ];
}

function answeredWithNull(
  definition: AnyDefinition,
  [name, aliases]: readonly [string, readonly string[]],
): AnyDefinition {
  return {
    ...definition,
    name,
    aliases,
    summary: `Does the same as \`${definition.name}\`; the answer is null, as Anvil's.`,
    result: nothing,
    handle: async (args, context) => {
      await definition.handle(args, context);
      return undefined;
    },
  };
}
