/**
 * `console.log` of contracts: calls of the address that spells it, as the libraries of Hardhat and Foundry make them.
 * The table of selectors is computed from the signatures of those libraries: every list of up to four of its types, and
 * the functions of one type.
 */
import { bareHex, fromBareHex, toHex } from "../bytes/hex.ts";
import { keccak256 } from "../crypto/keccak.ts";
import type { AbiParameter } from "../model/abi-types.ts";
import { abiTexts } from "./abi-values.ts";

/** Address of the console: the text `console.log` in its last eleven bytes. */
export const CONSOLE_ADDRESS = toHex(Buffer.concat([new Uint8Array(9), Buffer.from("console.log")]));

const MIXED = ["uint256", "string", "bool", "address"];
const MAX_ARGUMENTS = 4;
const SINGLE: Readonly<Record<string, string>> = {
  log: "int256",
  logInt: "int256",
  logUint: "uint256",
  logString: "string",
  logBool: "bool",
  logAddress: "address",
  logBytes: "bytes",
};
const SELECTOR_BYTES = 4;

let table: ReadonlyMap<string, readonly AbiParameter[]> | undefined;

/** Returns the line of a call to the console; undefined for input that no function of it has. */
export function consoleLine(input: Uint8Array): string | undefined {
  table ??= selectorTable();
  const parameters = table.get(bareHex(input.subarray(0, SELECTOR_BYTES)));
  const texts = parameters && abiTexts(parameters, input.subarray(SELECTOR_BYTES));
  if (texts === undefined) return undefined;
  return parameters?.[0]?.type === "string" ? withPlaceholders(texts) : texts.join(" ");
}

function selectorTable(): ReadonlyMap<string, readonly AbiParameter[]> {
  const found = new Map<string, readonly AbiParameter[]>();
  const add = (name: string, types: readonly string[]): void => {
    const parameters = types.map((type) => ({ type }));
    found.set(selectorOf(`${name}(${types.join(",")})`), parameters);
    // older versions of the library computed selectors from the short names of the types
    found.set(selectorOf(`${name}(${types.join(",").replaceAll("int256", "int")})`), parameters);
  };
  for (const types of lists(MAX_ARGUMENTS)) add("log", types);
  for (const [name, type] of Object.entries(SINGLE)) add(name, [type]);
  for (let size = 1; size <= 32; size++) add(`logBytes${size}`, [`bytes${size}`]);
  return found;
}

/** Returns all lists of up to `length` types, the empty one included. */
function lists(length: number): readonly (readonly string[])[] {
  if (length === 0) return [[]];
  const shorter = lists(length - 1);
  return [
    ...shorter,
    ...shorter
      .filter((list) => list.length === length - 1)
      .flatMap((list) => MIXED.map((type) => [...list, type])),
  ];
}

function selectorOf(signature: string): string {
  return bareHex(keccak256(Buffer.from(signature)).subarray(0, SELECTOR_BYTES));
}

/** Puts values where the first text has placeholders such as `%s` and `%d`, and the others behind it. */
function withPlaceholders([text = "", ...values]: readonly string[]): string {
  const line = text.replace(/%([%sdifoOj])/g, (placeholder, kind: string) => {
    if (kind === "%") return "%";
    return values.shift() ?? placeholder;
  });
  return [line, ...values].join(" ");
}

/** Returns the lines of the console in a frame of `callTracer` and those below it, in the order of the calls. */
export function consoleLines(frame: TracedCall): string[] {
  const lines: string[] = [];
  const visit = ({ to, input = "0x", calls = [] }: TracedCall): void => {
    if (to === CONSOLE_ADDRESS) {
      const line = consoleLine(fromBareHex(input.slice(2)));
      if (line !== undefined) lines.push(line);
    }
    for (const call of calls) visit(call);
  };
  visit(frame);
  return lines;
}

/** The part of a frame of `callTracer` that these functions read. */
export interface TracedCall {
  readonly to?: string;
  readonly input?: string;
  readonly output?: string;
  readonly error?: string;
  readonly calls?: readonly TracedCall[];
}
