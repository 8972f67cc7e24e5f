/** Random programs: mostly valid, touching every part of the machine; now and then anything at all. */
import { concatBytes } from "../../node/bytes/compare.ts";
import { integerBytes } from "../../node/bytes/integer.ts";
import type { EvmRevision } from "../../node/config/rule-facts.ts";
import { isRevisionSince } from "../../node/config/rule-facts.ts";
import { opcodes } from "../../node/evm/opcodes.ts";
import { randomBytes } from "./random.ts";

/** Plan of a random program. */
export interface ProgramPlan {
  readonly random: () => number;
  readonly revision: EvmRevision;
  /** Addresses that programs call and look at. */
  readonly addresses: readonly Uint8Array[];
}

const MAX_WORD = (1n << 256n) - 1n;
const WORDS: readonly bigint[] = [0n, 1n, 2n, 31n, 32n, 33n, 255n, 256n, 1n << 255n, MAX_WORD, 1n << 128n];
const number = new Map(opcodes.map((opcode) => [opcode.name, opcode.number]));

/** The number of an opcode by its name. */
function op(name: string): number {
  const found = number.get(name);
  if (found === undefined) throw new Error(`no opcode ${name}`);
  return found;
}

const SPECIAL =
  /^(PUSH\d|DUP|SWAP|LOG|JUMP|CALL$|CALLCODE|DELEGATECALL|STATICCALL|CREATE|RETURN$|REVERT|SELFDESTRUCT|STOP|INVALID|PC$|.*COPY|M[LS]|SSTORE|SLOAD|T(LOAD|STORE)|SHA3|KECCAK256|BALANCE|EXTCODE|BLOCKHASH)/;

/** Builds one program. */
class Program {
  readonly #plan: ProgramPlan;
  /** Words on the stack, as far as is known. */
  height = 0;
  readonly #parts: Uint8Array[] = [];
  #length: number;

  /** `start` is where it will stand in the code around it. */
  constructor(plan: ProgramPlan, start = 0) {
    this.#plan = plan;
    this.#length = start;
  }

  get bytes(): Uint8Array {
    return concatBytes(...this.#parts);
  }

  /** Position of the next byte. */
  get end(): number {
    return this.#length;
  }

  raw(...bytes: readonly number[]): this {
    return this.#append(Uint8Array.from(bytes));
  }

  push(value: bigint | Uint8Array): this {
    const bytes = typeof value === "bigint" ? integerBytes(value) : value;
    const shown = bytes.length === 0 ? Uint8Array.of(0) : bytes;
    this.#append(concatBytes(Uint8Array.of(0x5f + shown.length), shown));
    this.height++;
    return this;
  }

  /** An opcode with operands, the first on top. */
  call(name: string, ...operands: readonly (bigint | Uint8Array)[]): this {
    for (const operand of operands.toReversed()) this.push(operand);
    this.raw(op(name));
    const { takes, leaves } = opcodes.find((opcode) => opcode.name === name) ?? { takes: 0, leaves: 0 };
    this.height = Math.max(0, this.height - takes + leaves);
    return this;
  }

  has(name: string): boolean {
    return opcodes.some((each) => each.name === name && isRevisionSince(this.#plan.revision, each.since));
  }

  #append(bytes: Uint8Array): this {
    this.#parts.push(bytes);
    this.#length += bytes.length;
    return this;
  }
}

type Snippet = (program: Program, plan: ProgramPlan) => void;

/** Snippets by how often they come. */
const SNIPPETS: readonly (readonly [weight: number, snippet: Snippet])[] = [
  [24, plainOpcode],
  [8, stackOpcode],
  [12, memoryOpcode],
  [12, storageOpcode],
  [6, lookAtAccount],
  [9, callAccount],
  [4, createContract],
  [4, branch],
  [2, loop],
  [3, log],
  [0.6, stopSomehow],
  [0.2, (program, { random }) => void program.raw(Math.floor(random() * 256))],
];
const TOTAL = SNIPPETS.reduce((sum, [weight]) => sum + weight, 0);

/** A program of some snippets, its result returned at the end more often than not. */
export function randomProgram(plan: ProgramPlan, most = 24): Uint8Array {
  const program = new Program(plan);
  const count = 1 + below(plan, most);
  for (let i = 0; i < count; i++) addSnippet(program, plan);
  if (plan.random() < 0.6) returnSomething(program, plan);
  return program.bytes;
}

function addSnippet(program: Program, plan: ProgramPlan): void {
  let at = plan.random() * TOTAL;
  for (const [weight, snippet] of SNIPPETS) {
    at -= weight;
    if (at < 0) return snippet(program, plan);
  }
}

function returnSomething(program: Program, plan: ProgramPlan): void {
  for (let slot = 0; slot < 3 && program.height > 0; slot++)
    program.push(BigInt(32 * slot)).raw(op("MSTORE"));
  program.call(plan.random() < 0.85 ? "RETURN" : "REVERT", 0n, BigInt(below(plan, 100)));
}

function plainOpcode(program: Program, plan: ProgramPlan): void {
  const plain = opcodes.filter(
    ({ name, since }) => !SPECIAL.test(name) && isRevisionSince(plan.revision, since),
  );
  const { name, takes } = pick(plan, plain);
  const operands = plan.random() < 0.995 ? takes : below(plan, takes + 1);
  const own = Math.min(program.height, plan.random() < 0.5 ? 1 : 0, operands);
  program.call(name, ...Array.from({ length: operands - own }, () => word(plan)));
}

function stackOpcode(program: Program, plan: ProgramPlan): void {
  const depth = below(plan, 16);
  if (plan.random() < 0.99) while (program.height < depth + 2) program.push(word(plan));
  program.raw((plan.random() < 0.5 ? 0x80 : 0x90) + depth);
  if (plan.random() < 0.3) program.call("POP");
}

function memoryOpcode(program: Program, plan: ProgramPlan): void {
  const copies = ["CALLDATACOPY", "CODECOPY", "RETURNDATACOPY", "MCOPY"].filter((name) => program.has(name));
  const hashes = number.has("SHA3") ? "SHA3" : "KECCAK256";
  const name = pick(plan, ["MLOAD", "MSTORE", "MSTORE8", hashes, ...copies]);
  if (name === "MLOAD") program.call(name, place(plan));
  else if (name.startsWith("MSTORE")) program.call(name, place(plan), word(plan));
  else if (name === hashes) program.call(name, place(plan), size(plan));
  else if (name === "RETURNDATACOPY" && plan.random() < 0.95) copyReturnData(program, plan);
  else program.call(name, place(plan), place(plan), size(plan));
}

/** All that the last call gave back. */
function copyReturnData(program: Program, plan: ProgramPlan): void {
  program.raw(op("RETURNDATASIZE"));
  program.height++;
  program.call("RETURNDATACOPY", place(plan), 0n);
}

function storageOpcode(program: Program, plan: ProgramPlan): void {
  const transient = program.has("TLOAD") && plan.random() < 0.3;
  const key = small(plan, 4);
  if (plan.random() < 0.4) program.call(transient ? "TLOAD" : "SLOAD", key);
  else program.call(transient ? "TSTORE" : "SSTORE", key, plan.random() < 0.8 ? small(plan, 3) : word(plan));
}

function lookAtAccount(program: Program, plan: ProgramPlan): void {
  const name = pick(plan, ["BALANCE", "EXTCODESIZE", "EXTCODECOPY", "EXTCODEHASH", "BLOCKHASH"]);
  if (name === "BLOCKHASH") program.call(name, plan.random() < 0.5 ? small(plan, 300) : word(plan));
  else if (name === "EXTCODECOPY") program.call(name, address(plan), place(plan), place(plan), size(plan));
  else program.call(name, address(plan));
}

function callAccount(program: Program, plan: ProgramPlan): void {
  const name = pick(plan, ["CALL", "CALL", "CALLCODE", "DELEGATECALL", "STATICCALL"]);
  const memory = [place(plan), size(plan), place(plan), size(plan)];
  const value = name.startsWith("CALL") ? [plan.random() < 0.75 ? 0n : small(plan, 3)] : [];
  const { height } = program;
  for (const operand of [address(plan), ...value, ...memory].toReversed()) program.push(operand);
  if (plan.random() < 0.6) program.raw(op("GAS"));
  else program.push(plan.random() < 0.7 ? small(plan, 60_000) : word(plan));
  program.raw(op(name));
  program.height = height + 1;
}

function createContract(program: Program, plan: ProgramPlan): void {
  const code = initcode(plan);
  const words = Math.ceil(code.length / 32);
  for (let index = 0; index < words; index++) {
    const part = new Uint8Array(32);
    part.set(code.subarray(32 * index, 32 * index + 32));
    program
      .push(part)
      .push(BigInt(32 * index))
      .raw(op("MSTORE"));
  }
  const value = plan.random() < 0.8 ? 0n : small(plan, 3);
  if (plan.random() < 0.5) program.call("CREATE", value, 0n, BigInt(code.length));
  else program.call("CREATE2", value, 0n, BigInt(code.length), small(plan, 2));
}

/** Code that creates: a short program, or one that returns a short program. */
function initcode(plan: ProgramPlan): Uint8Array {
  if (plan.random() < 0.3) return randomProgram({ ...plan }, 4).subarray(0, 150);
  const body = randomProgram({ ...plan }, 3).subarray(0, 120);
  // CODECOPY(0, 12, length), RETURN(0, length): twelve bytes, then the code itself.
  const head = [0x60, body.length, 0x60, 12, 0x60, 0, 0x39, 0x60, body.length, 0x60, 0, 0xf3];
  return concatBytes(Uint8Array.from(head), body);
}

function branch(program: Program, plan: ProgramPlan): void {
  if (plan.random() < 0.02) {
    program.call("JUMP", small(plan, 200));
    return;
  }
  const inner = new Program(plan, program.end + 6); // after a push of one byte, one of two and the jump
  addSnippet(inner, plan);
  program.push(small(plan, 2)).raw(0x61, inner.end >> 8, inner.end & 0xff, op("JUMPI"));
  program.raw(...inner.bytes, op("JUMPDEST"));
  program.height = 0; // one way or the other: what is there is not relied on
}

function loop(program: Program, plan: ProgramPlan): void {
  program.push(1n + small(plan, 5));
  const start = program.end;
  program.raw(op("JUMPDEST"));
  if (plan.random() < 0.5) program.call("SSTORE", small(plan, 4), small(plan, 3));
  else program.call("MSTORE", place(plan), word(plan));
  program.push(1n).raw(op("SWAP1"), op("SUB"), op("DUP1"), 0x61, start >> 8, start & 0xff, op("JUMPI"));
  program.height--;
}

function log(program: Program, plan: ProgramPlan): void {
  const topics = below(plan, 5);
  program.call(`LOG${topics}`, place(plan), size(plan), ...Array.from({ length: topics }, () => word(plan)));
}

function stopSomehow(program: Program, plan: ProgramPlan): void {
  const name = pick(plan, ["STOP", "SELFDESTRUCT", "SELFDESTRUCT", "SELFDESTRUCT", "REVERT", "INVALID"]);
  if (name === "SELFDESTRUCT") program.call(name, address(plan));
  else if (name === "REVERT") program.call(name, place(plan), size(plan));
  else program.raw(name === "STOP" ? 0 : 0xfe);
}

/** A value for a scenario: small, special or any. */
export function word(plan: Pick<ProgramPlan, "random">): bigint {
  const kind = plan.random();
  if (kind < 0.4) return WORDS[Math.floor(plan.random() * WORDS.length)] ?? 0n;
  if (kind < 0.7) return BigInt(Math.floor(plan.random() * 1000));
  return BigInt(`0x${Buffer.from(randomBytes(plan.random, 32)).toString("hex")}`);
}

function address(plan: ProgramPlan): Uint8Array {
  return pick(plan, plan.addresses);
}

function place(plan: ProgramPlan): bigint {
  return plan.random() < 0.996 ? small(plan, 200) : word(plan);
}

function size(plan: ProgramPlan): bigint {
  return plan.random() < 0.996 ? small(plan, 100) : word(plan);
}

function small({ random }: ProgramPlan, limit: number): bigint {
  return BigInt(Math.floor(random() * limit));
}

function below({ random }: ProgramPlan, limit: number): number {
  return Math.floor(random() * limit);
}

function pick<T>({ random }: Pick<ProgramPlan, "random">, list: readonly T[]): T {
  return list[Math.floor(random() * list.length)] as T; // lists are never empty
}
