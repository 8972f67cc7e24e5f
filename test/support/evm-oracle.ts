/** Runs a scenario with @ethereumjs/evm. */
import { Common, Mainnet } from "@ethereumjs/common";
import { createEVM, type EVM, EVMError, type EVMRunCallOpts, type ExecResult } from "@ethereumjs/evm";
import { SimpleStateManager } from "@ethereumjs/statemanager";
import { Account, createAddressFromString } from "@ethereumjs/util";
import { toHex } from "../../node/bytes/hex.ts";
import { wordBytes } from "../../node/bytes/word.ts";
import type { EvmRevision } from "../../node/config/rule-facts.ts";
import { isRevisionSince } from "../../node/config/rule-facts.ts";
import { oracleOpcodes } from "./evm-differences.ts";
import { BLOCK, COINBASE, type Ended, type Scenario, SENDER, type ShownAccount } from "./evm-scenario.ts";
import { suiteBytes, suiteInteger } from "./suite-values.ts";

/** The oracle's rules that come nearest to a revision: what is left is in the rows of differences. */
const FORKS: Readonly<Record<EvmRevision, readonly [hardfork: string, eips: readonly number[]]>> = {
  base: ["petersburg", []],
  istanbul: ["istanbul", []],
  london: ["istanbul", []],
  kore: ["paris", []],
  shanghai: ["shanghai", []],
  cancun: ["cancun", []],
  prague: ["prague", []],
  osaka: ["osaka", []],
};

const commons = new Map<EvmRevision, Common>();

/** The oracle's rules of a revision. */
export function commonOf(revision: EvmRevision): Common {
  let common = commons.get(revision);
  if (common === undefined) {
    const [hardfork, eips] = FORKS[revision];
    common = new Common({ chain: Mainnet, hardfork, eips: [...eips] });
    commons.set(revision, common);
  }
  return common;
}

/** Members of a scenario that the oracle needs before it runs anything. */
export type OracleScene = Pick<Scenario, "revision" | "accounts">;

type State = SimpleStateManager;

/** An interpreter over a scenario's accounts. */
export interface Oracle {
  readonly evm: EVM;
  readonly state: State;
}

/** Opens the oracle on the accounts; nothing is warm. */
export async function openOracle(scene: OracleScene): Promise<Oracle> {
  const common = commonOf(scene.revision);
  const state = new SimpleStateManager({ common });
  await fill(state, scene);
  const evm = await createEVM({
    common,
    stateManager: state,
    customOpcodes: oracleOpcodes(scene.revision),
    blockchain: {
      getBlock: (number: number) => Promise.resolve({ hash: () => BLOCK.blockHash(number) }),
    } as never, // all that BLOCKHASH asks for
  });
  return { evm, state };
}

/** Runs a scenario there. */
export async function runThere(scenario: Scenario): Promise<Ended> {
  const { evm, state } = await openOracle(scenario);
  warm(evm, scenario);
  const { execResult } = await evm.runCall(callOf(scenario));
  await sweep(evm, execResult);
  const error = execResult.exceptionError?.error;
  const reverted = error === EVMError.errorMessages.REVERT;
  const logs = (execResult.logs ?? []).map(([address, topics, data]) => [
    toHex(address),
    topics.map(toHex),
    toHex(data),
  ]);
  return {
    end: error === undefined ? "ok" : reverted ? "reverted" : "failed",
    gasUsed: execResult.executionGasUsed,
    refund: execResult.gasRefund ?? 0n,
    output: error === undefined || reverted ? toHex(execResult.returnValue) : "0x",
    logs,
    accounts: await dump(state),
  };
}

function callOf({ to, input, value, gas }: Scenario): EVMRunCallOpts {
  return {
    caller: createAddressFromString(toHex(SENDER)),
    ...(to === undefined ? {} : { to: createAddressFromString(toHex(to)) }),
    data: input,
    value,
    gasLimit: gas,
    gasPrice: 30n,
    block: oracleBlock(),
  };
}

/** End of a transaction: deletes destroyed accounts, and empty ones that were touched. */
async function sweep(evm: EVM, { selfdestruct, createdAddresses }: ExecResult): Promise<void> {
  for (const address of selfdestruct?.keys() ?? []) {
    const isGone = !evm.common.isActivatedEIP(6780) || createdAddresses?.has(address) === true;
    if (isGone) await evm.journal.deleteAccount(createAddressFromString(address));
  }
  await evm.journal.cleanup();
}

async function fill(state: State, { accounts }: OracleScene): Promise<void> {
  for (const [text, { nonce, balance, code, storage }] of Object.entries(accounts)) {
    const address = createAddressFromString(text);
    await state.putAccount(address, new Account(suiteInteger(nonce), suiteInteger(balance)));
    if (suiteBytes(code).length > 0) await state.putCode(address, suiteBytes(code));
    for (const [key, value] of Object.entries(storage)) {
      if (suiteInteger(value) === 0n) continue;
      await state.putStorage(address, wordBytes(suiteInteger(key)), suiteBytes(value));
    }
  }
}

function warm(evm: EVM, { revision, to }: Scenario): void {
  if (!isRevisionSince(revision, "kore")) return;
  evm.journal.addAlwaysWarmAddress(toHex(SENDER));
  if (to !== undefined) evm.journal.addAlwaysWarmAddress(toHex(to));
  if (isRevisionSince(revision, "shanghai")) evm.journal.addAlwaysWarmAddress(toHex(COINBASE));
  for (const [address] of evm.precompiles) evm.journal.addAlwaysWarmAddress(`0x${address}`);
}

/** The block of every scenario, as far as opcodes and transactions ask. */
export function oracleBlock(common?: Common): never {
  const header = {
    number: BigInt(BLOCK.number),
    coinbase: createAddressFromString(toHex(COINBASE)),
    timestamp: BigInt(BLOCK.time),
    difficulty: BLOCK.blockScore,
    prevRandao: BLOCK.random,
    gasLimit: BLOCK.gasLimit,
    baseFeePerGas: BLOCK.baseFee,
    getBlobGasPrice: () => BLOCK.blobBaseFee,
    gasUsed: 0n,
  };
  return { header, common } as never; // all that is asked for
}

/** Lists the accounts of the oracle's state. */
export async function dump(state: State): Promise<Record<string, ShownAccount>> {
  const shown: Record<string, ShownAccount> = {};
  const slots = state.storageStack.at(-1) ?? new Map<string, Uint8Array>();
  for (const [text, account] of state.accountStack.at(-1) ?? []) {
    if (account === undefined) continue;
    const storage: Record<string, string> = {};
    for (const [name, value] of slots) {
      const [owner, key = ""] = name.split("_");
      const number = suiteInteger(toHex(value));
      if (owner === text && number !== 0n) storage[suiteInteger(key).toString(16)] = number.toString(16);
    }
    const code = await state.getCode(createAddressFromString(text));
    shown[text] = { nonce: account.nonce, balance: account.balance, code: toHex(code), storage };
  }
  return shown;
}
