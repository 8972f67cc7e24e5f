/** Random scenarios for the interpreter, and what both implementations make of them. */
import { fromBareHex, mapKey, toHex } from "../../node/bytes/hex.ts";
import { wordBytes } from "../../node/bytes/word.ts";
import type { EvmRevision } from "../../node/config/rule-facts.ts";
import { isRevisionSince } from "../../node/config/rule-facts.ts";
import { BASE_RULES, type Rules } from "../../node/config/rules.ts";
import { createEvm, type EvmBlock, type EvmResult } from "../../node/evm/evm.ts";
import type { EvmFailureCode } from "../../node/evm/failure.ts";
import type { FrameStart, Tracer } from "../../node/evm/tracer.ts";
import type { World } from "../../node/state/world/world.ts";
import { type ProgramPlan, randomProgram, word } from "./evm-programs.ts";
import { randomBytes } from "./random.ts";
import { contractsOfVersion, type SuiteAccount, SuiteWorld } from "./suite-world.ts";

/** One message in one world. */
export interface Scenario {
  readonly revision: EvmRevision;
  readonly accounts: Readonly<Record<string, SuiteAccount>>;
  /** Undefined for a creation, whose code is the input. */
  readonly to: Uint8Array | undefined;
  readonly input: Uint8Array;
  readonly value: bigint;
  readonly gas: bigint;
}

/** An account as both sides write it down; storage without zeros, keys and values as hex. */
export interface ShownAccount {
  readonly nonce: bigint;
  readonly balance: bigint;
  readonly code: string;
  readonly storage: Readonly<Record<string, string>>;
}

/** End of a scenario. */
export interface Ended {
  readonly end: "ok" | "reverted" | "failed";
  readonly gasUsed: bigint;
  readonly refund: bigint;
  readonly output: string;
  readonly logs: readonly unknown[];
  readonly accounts: Readonly<Record<string, ShownAccount>>;
}

/** Events of a scenario, for the rows of differences by design. */
export interface Seen {
  readonly failures: ReadonlySet<EvmFailureCode>;
  readonly precompiles: ReadonlySet<string>;
  readonly opcodes: ReadonlySet<number>;
  /** First bytes of what was reverted with. */
  readonly reverts: ReadonlySet<number>;
  /** Targets of STATICCALL. */
  readonly staticCalls: ReadonlySet<string>;
  /** Beneficiaries of destroyed contracts. */
  readonly heirs: ReadonlySet<string>;
}

export const SENDER = fromBareHex("5e".repeat(20));
export const COINBASE = fromBareHex("c0".repeat(20));
const EOA = fromBareHex("e0a0".repeat(10));
const MISSING = fromBareHex("dead".repeat(10));
/** The precompiled contract whose touches are never taken back. */
export const RIPEMD = wordBytes(3n).slice(12);
/** Accounts that may be there and empty: a touch ends them. */
export const HOLLOW: readonly Uint8Array[] = [RIPEMD, wordBytes(4n).slice(12), fromBareHex("ee".repeat(20))];
const CONTRACTS = ["a1", "a2", "a3", "a4"].map((pair) => fromBareHex(pair.repeat(20)));

/** The block of every scenario. */
export const BLOCK: EvmBlock = {
  number: 1000,
  time: 1_700_000_000,
  author: COINBASE,
  blockScore: 7n,
  baseFee: 25n,
  blobBaseFee: 1n,
  random: wordBytes(0x1234n),
  gasLimit: 30_000_000n,
  blockHash: (number) => wordBytes((BigInt(number) ** 20n) & ((1n << 256n) - 1n)),
};

/** Four contracts that call one another, and what programs for them are made of. */
export interface ScenarioOptions {
  readonly plan: ProgramPlan;
  readonly accounts: Record<string, SuiteAccount>;
  readonly contracts: readonly Uint8Array[];
}

/** Surroundings whose programs know `known` besides. */
export function randomSurroundings(
  random: () => number,
  revision: EvmRevision,
  known: readonly Uint8Array[],
): ScenarioOptions {
  const ethereumPrecompiles = Array.from({ length: 9 }, (_, index) => wordBytes(BigInt(index + 1)).slice(12));
  const addresses = [
    ...CONTRACTS,
    ...CONTRACTS,
    ...CONTRACTS,
    EOA,
    MISSING,
    COINBASE,
    ...HOLLOW,
    RIPEMD,
    RIPEMD,
    ...known,
  ];
  const plan = { random, revision, addresses: [...addresses, ...ethereumPrecompiles] };
  const accounts: Record<string, SuiteAccount> = {
    [toHex(EOA)]: { balance: "0x3", nonce: "0x0", code: "0x", storage: {} },
  };
  for (const address of HOLLOW)
    if (random() < 0.75) accounts[toHex(address)] = { balance: "0x0", nonce: "0x0", code: "0x", storage: {} };
  for (const [index, address] of CONTRACTS.entries()) {
    const isDelegation = index === 3 && isRevisionSince(revision, "prague") && random() < 0.4;
    const target = CONTRACTS[Math.floor(random() * 4)] as Uint8Array; // in range
    const code = isDelegation ? delegationTo(target) : toHex(randomProgram(plan));
    const storage = Object.fromEntries(
      [0, 1, 2].filter(() => random() < 0.5).map((key) => [`0x${key}`, `0x${word(plan).toString(16)}`]),
    );
    accounts[toHex(address)] = { balance: random() < 0.5 ? "0x10" : "0x0", nonce: "0x1", code, storage };
  }
  return { plan, accounts, contracts: CONTRACTS };
}

/** The code of an account that borrows another's (EIP-7702). */
export function delegationTo(target: Uint8Array): string {
  return `0xef0100${toHex(target).slice(2)}`;
}

/** A message to one of four contracts, or one that creates another. */
export function randomScenario(random: () => number, revision: EvmRevision): Scenario {
  const { plan, accounts, contracts } = randomSurroundings(random, revision, [SENDER]);
  accounts[toHex(SENDER)] = { balance: "0xffffffffff", nonce: "0x5", code: "0x", storage: {} };
  const isCreation = random() < 0.15;
  return {
    revision,
    accounts,
    to: isCreation ? undefined : contracts[Math.floor(random() * 3)],
    input: isCreation ? randomProgram(plan) : randomBytes(random, Math.floor(random() * 100)),
    value: random() < 0.7 ? 0n : BigInt(Math.floor(random() * 5)),
    gas: BigInt(Math.floor(Math.exp(Math.log(5000) + random() * Math.log(400)))),
  };
}

/** The rules of a revision; nothing but what the interpreter asks for. */
export function rulesOf(revision: EvmRevision): Rules {
  return {
    ...BASE_RULES,
    evm: revision,
    plainCodeHash: isRevisionSince(revision, "cancun"),
    vmVersion: revision === "base" ? 0 : 1,
    maxInitcodeSize: isRevisionSince(revision, "shanghai") ? 49_152 : undefined,
    initcodeWordGas: isRevisionSince(revision, "shanghai") ? 2n : 0n,
    delegations: isRevisionSince(revision, "prague"),
  };
}

/** Runs a scenario here. */
export function runHere(scenario: Scenario): { readonly ended: Ended; readonly seen: Seen } {
  const rules = rulesOf(scenario.revision);
  const suite = new SuiteWorld(scenario.accounts, contractsOfVersion(rules.vmVersion));
  const { world } = suite;
  const { tracer, seen } = observer();
  warmUp(world, scenario);
  const { failure, gasLeft, output } = runMessage(scenario, { world, rules, tracer });
  const logs = world.logs.map(({ address, topics, data }) => [
    toHex(address),
    topics.map(toHex),
    toHex(data),
  ]);
  const refund = BigInt(world.refund);
  world.endTransaction();
  const isReverted = failure?.code === "reverted";
  const end = failure === undefined ? "ok" : isReverted ? "reverted" : "failed";
  const gasUsed = scenario.gas - gasLeft;
  const ended = {
    end,
    gasUsed,
    refund,
    // The oracle drops the code that a failed creation returned.
    output: failure === undefined || failure.code === "reverted" ? toHex(output) : "0x",
    logs,
    accounts: shownAccounts(suite),
  } as const;
  return { ended, seen };
}

function warmUp(world: World, { revision, to }: Scenario): void {
  world.warmAddress(SENDER);
  if (to !== undefined) world.warmAddress(to);
  if (isRevisionSince(revision, "shanghai")) world.warmAddress(COINBASE);
}

interface Place {
  readonly world: World;
  readonly rules: Rules;
  readonly tracer: Tracer;
}

function runMessage({ to, input, value, gas }: Scenario, { world, rules, tracer }: Place): EvmResult {
  const evm = createEvm({
    world,
    rules,
    chainId: 1n,
    block: BLOCK,
    transaction: { origin: SENDER, gasPrice: 30n, feePayer: SENDER, blobHashes: [] },
    computationLimit: Number.POSITIVE_INFINITY,
    tracer,
  });
  if (to === undefined) return evm.create({ caller: SENDER, code: input, value, gas });
  world.setNonce(SENDER, world.nonce(SENDER) + 1n);
  return evm.call({ caller: SENDER, to, input, value, gas });
}

/** Lists the accounts of a world. */
export function shownAccounts(suite: SuiteWorld): Record<string, ShownAccount> {
  const accounts: Record<string, ShownAccount> = {};
  for (const [name, { account, slots }] of suite.accounts()) {
    const address = Buffer.from(name, "latin1");
    const storage: Record<string, string> = {};
    for (const [key, number] of slots) if (number !== 0n) storage[key.toString(16)] = number.toString(16);
    const { nonce, balance } = account;
    accounts[toHex(address)] = { nonce, balance, code: toHex(suite.world.code(address)), storage };
  }
  return accounts;
}

/** A tracer that notes what the rows of differences ask for. */
export function observer(): { readonly tracer: Tracer; readonly seen: Seen } {
  const failures = new Set<EvmFailureCode>();
  const precompiles = new Set<string>();
  const steps = new Set<number>();
  const reverts = new Set<number>();
  const staticCalls = new Set<string>();
  const heirs = new Set<string>();
  const tracer: Tracer = {
    enter: ({ isPrecompile, kind, to, value }: FrameStart) => {
      if (kind === "SELFDESTRUCT" && value > 0n) heirs.add(mapKey(to));
      if (kind === "STATICCALL") staticCalls.add(mapKey(to));
      if (isPrecompile) precompiles.add(mapKey(to));
    },
    exit: ({ failure, output: [first] }) => {
      if (failure !== undefined) failures.add(failure.code);
      if (failure?.code === "reverted" && first !== undefined) reverts.add(first);
    },
    step: ({ op }) => {
      steps.add(op);
    },
  };
  return { tracer, seen: { failures, precompiles, opcodes: steps, reverts, staticCalls, heirs } };
}
