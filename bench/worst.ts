/**
 * The slowest of all opcodes and precompiled contracts, with operands chosen against us: `node bench/worst.ts`. One
 * JSON line each, the slowest for its computation cost first: `ns` of CPU time for one turn of the program, its
 * `mgas` a second, and `nsPerCost`, the time for one unit of computation cost. The most that a transaction may
 * compute (150,000,000 since Cancun) times `nsPerCost` is the longest it can hold the thread.
 */

import { fixedBytes } from "../node/bytes/integer.ts";
import { keccak256 } from "../node/crypto/keccak.ts";
import { createEvm } from "../node/evm/evm.ts";
import { precompileAt } from "../node/evm/precompiles.ts";
import { tablesOf } from "../node/evm/revision.ts";
import { assemble, aWorld, CALLER, CONTRACT, evmOptions, putContract, rulesOf } from "../test/support/evm.ts";
import { report, roundTo } from "./support/figures.ts";
import { BIG, type PrecompileInput, worstBodies, worstInputs } from "./support/worst-programs.ts";

const RULES = rulesOf("osaka");
const GAS = 1n << 50n;
const UNROLLED = 24;
const ROUND_MS = 150;

interface Worst {
  readonly name: string;
  readonly ns: number;
  readonly mgas: number;
  readonly nsPerCost: number;
}

/** A program that runs `body` often, and how often. */
function programOf(body: string, turns: number): Uint8Array {
  const bodyText = Array.from({ length: UNROLLED }, () => body).join(" ");
  return assemble(`${BIG} ${turns} loop: SWAP1 ${bodyText} SWAP1 1 SWAP1 SUB DUP1 @loop JUMPI STOP`);
}

function runOnce(code: Uint8Array): { gas: number; seconds: number } {
  const world = aWorld();
  putContract(world, CONTRACT, code);
  putContract(world, fixedBytes(0xbad, 20), assemble("#fe"));
  world.addBalance(CALLER, 10n ** 20n);
  world.endTransaction();
  const options = evmOptions({ world, rules: RULES, computationLimit: Infinity });
  const message = { caller: CALLER, to: CONTRACT, input: keccak256(code), value: 10n ** 15n, gas: GAS };
  const before = process.threadCpuUsage();
  const { gasLeft, failure } = createEvm(options).call(message);
  const { user, system } = process.threadCpuUsage(before);
  if (failure !== undefined) throw new Error(failure.message);
  return { gas: Number(GAS - gasLeft), seconds: (user + system) / 1e6 };
}

/** The computation cost of one turn of straight code. */
function costOf(body: string): number {
  const { cost } = tablesOf(RULES);
  const code = assemble(body);
  let sum = 0;
  for (let at = 0; at < code.length; at++) {
    const op = code[at] ?? 0;
    sum += cost[op] ?? 0;
    if (op >= 0x60 && op <= 0x7f) at += op - 0x5f;
  }
  return sum;
}

function measureBody(name: string, body: string): Worst {
  let turns = 20;
  let run = runOnce(programOf(body, turns));
  while (run.seconds * 1000 < ROUND_MS && turns < 60_000) {
    turns = Math.min(60_000, turns * 3);
    run = runOnce(programOf(body, turns));
  }
  run = runOnce(programOf(body, turns));
  const count = turns * UNROLLED;
  return {
    name,
    ns: roundTo((run.seconds * 1e9) / count),
    mgas: roundTo(run.gas / run.seconds / 1e6),
    nsPerCost: roundTo((run.seconds * 1e9) / count / Math.max(1, costOf(body))),
  };
}

function measurePrecompile([number, name, input]: PrecompileInput): Worst | undefined {
  const address = fixedBytes(number, 20);
  const row = precompileAt(address, RULES, 1);
  if (row === undefined) return undefined;
  const world = aWorld();
  const call = { input, world, rules: RULES, feePayer: CALLER };
  const gas = Number(row.gas(input, RULES));
  const cost = row.cost(input, gas, RULES);
  for (let i = 0; i < 3; i++) row.run(call);
  let count = 0;
  const before = process.threadCpuUsage();
  const started = performance.now();
  while (performance.now() - started < ROUND_MS) {
    row.run(call);
    count++;
  }
  const { user, system } = process.threadCpuUsage(before);
  const ns = ((user + system) * 1000) / count;
  // the opcode that calls costs besides
  const [wholeGas, wholeCost] = [gas + 100, cost + 10_000];
  return { name, ns: roundTo(ns), mgas: roundTo((wholeGas * 1000) / ns), nsPerCost: roundTo(ns / wholeCost) };
}

const found: Worst[] = Object.entries(worstBodies).map(([name, body]) => measureBody(name, body));
for (const input of worstInputs) {
  const worst = measurePrecompile(input);
  if (worst !== undefined) found.push(worst);
}
found.sort((a, b) => b.nsPerCost - a.nsPerCost);
for (const worst of found) report({ ...worst });
