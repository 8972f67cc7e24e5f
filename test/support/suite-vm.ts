/** Published tests of one frame: output, gas left, storage and logs. */
import { toHex } from "../../node/bytes/hex.ts";
import { wordBytes } from "../../node/bytes/word.ts";
import { BASE_RULES } from "../../node/config/rules.ts";
import { createEvm, type EvmBlock } from "../../node/evm/evm.ts";
import { logsHash, suiteBlockHash } from "./suite-state.ts";
import { suiteBytes, suiteInteger } from "./suite-values.ts";
import { contractsOfVersion, type SuiteAccount, SuiteWorld } from "./suite-world.ts";

/** A test; without `gas` the frame has to fail with nothing left. */
export interface VmCase {
  readonly env: Readonly<Record<string, string>>;
  readonly exec: Readonly<Record<string, string>>;
  readonly pre: Readonly<Record<string, SuiteAccount>>;
  readonly gas?: string;
  readonly logs?: string;
  readonly out?: string;
  readonly post?: Readonly<Record<string, SuiteAccount>>;
}

/** Runs a frame; `differences` are empty when the result is that of the test. */
export function runVm(one: VmCase): readonly string[] {
  const suite = new SuiteWorld(one.pre, contractsOfVersion(0));
  const { world } = suite;
  const { exec } = one;
  const [to, caller] = [suiteBytes(exec["address"]), suiteBytes(exec["caller"])];
  const value = suiteInteger(exec["value"]);
  // The suite's transfers move nothing: the value comes from nowhere and is taken away beforehand.
  const callee = world.account(to);
  if (callee !== undefined) world.setAccount(to, { ...callee, balance: callee.balance - value });
  world.addBalance(caller, value);
  const evm = createEvm({
    world,
    rules: BASE_RULES, // the main network before its first fork: all of the suite's block numbers are
    chainId: 8217n,
    block: blockOf(one.env),
    transaction: {
      origin: suiteBytes(exec["origin"]),
      gasPrice: suiteInteger(exec["gasPrice"]),
      feePayer: caller,
      blobHashes: [],
    },
    computationLimit: Number.POSITIVE_INFINITY,
  });
  const input = suiteBytes(exec["data"]);
  const result = evm.call({ caller, to, input, value, gas: suiteInteger(exec["gas"]) });
  if (one.gas === undefined)
    return result.failure !== undefined && result.gasLeft === 0n
      ? []
      : [`did not fail: ${result.gasLeft} left`];
  const found: (readonly [what: string, found: string, expected: string])[] = [
    ["output", toHex(result.output), toHex(suiteBytes(one.out))],
    ["gas left", String(result.gasLeft), String(suiteInteger(one.gas))],
    ["logs", toHex(logsHash(world.logs)), one.logs ?? ""],
  ];
  for (const [address, { storage }] of Object.entries(one.post ?? {})) {
    for (const [key, expected] of Object.entries(storage)) {
      const slot = world.slot(suiteBytes(address), suiteInteger(key));
      found.push([`slot ${key}`, toHex(wordBytes(slot)), toHex(wordBytes(suiteInteger(expected)))]);
    }
  }
  return found
    .filter(([, had, wanted]) => had !== wanted)
    .map(([what, had, wanted]) => `${what}: expected ${wanted}, found ${had}`);
}

function blockOf(env: VmCase["env"]): EvmBlock {
  const at = (name: string): bigint => suiteInteger(env[name]);
  return {
    number: Number(at("currentNumber")),
    time: Number(at("currentTimestamp")),
    author: suiteBytes(env["currentCoinbase"]),
    blockScore: at("currentDifficulty"),
    baseFee: 0n,
    blobBaseFee: 0n,
    random: new Uint8Array(32),
    gasLimit: at("currentGasLimit"),
    blockHash: suiteBlockHash,
  };
}
