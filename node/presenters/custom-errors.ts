/**
 * Custom errors of contracts by name. In: a directory of compilers' artifacts (JSON files with an `abi`, as Hardhat and
 * Foundry write them). Out: `Name(value, ...)` for the output of a reverted call.
 */
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { bareHex } from "../bytes/hex.ts";
import { keccak256 } from "../crypto/keccak.ts";
import { revertReason } from "../evm/revert-reason.ts";
import { type AbiParameter, canonicalType } from "../model/abi-types.ts";
import { abiTexts, printable } from "./abi-values.ts";

const SELECTOR_BYTES = 4;
const MAX_FILES = 20_000;
const MAX_FILE_BYTES = 32 * 2 ** 20;
const MAX_TYPE_LENGTH = 100;

interface CustomError {
  readonly name: string;
  readonly inputs: readonly AbiParameter[];
}

/** The errors of the artifacts in a directory. */
export class CustomErrors {
  readonly #directory: string | undefined;
  readonly #bySelector = new Map<string, CustomError>();
  /** Times of change of the files that were read, by path. */
  readonly #read = new Map<string, number>();

  constructor(directory: string | undefined) {
    this.#directory = directory;
  }

  /** Returns the failure in a revert's output; the bytes of an unknown one as hex. */
  async describe(output: Uint8Array): Promise<string> {
    if (output.length === 0) return "reverted without a reason";
    const reason = revertReason(output);
    if (reason !== undefined) return `reverted with ${JSON.stringify(printable(reason))}`;
    const selector = bareHex(output.subarray(0, SELECTOR_BYTES));
    if (!this.#bySelector.has(selector)) await this.#readChanges();
    const found = this.#bySelector.get(selector);
    const texts = found && abiTexts(found.inputs, output.subarray(SELECTOR_BYTES));
    if (found === undefined || texts === undefined)
      return `reverted with 0x${bareHex(output.subarray(0, MAX_SHOWN_BYTES))}`;
    const values = texts.map((text, i) => {
      const { name = "", type } = found.inputs[i] ?? { type: "" };
      return `${name === "" ? "" : `${printable(name)}: `}${type === "string" ? JSON.stringify(text) : text}`;
    });
    return `reverted with ${printable(found.name)}(${values.join(", ")})`;
  }

  /** Reads artifacts that were written since the last time; a contract may be compiled while the chain runs. */
  async #readChanges(): Promise<void> {
    if (this.#directory === undefined) return;
    const names = await readdir(this.#directory, { recursive: true }).catch(() => []);
    for (const name of names.filter((each) => each.endsWith(".json")).slice(0, MAX_FILES)) {
      const path = join(this.#directory, name);
      const { mtimeMs = 0, size = Infinity } = await stat(path).catch((): Partial<StatResult> => ({}));
      if (size > MAX_FILE_BYTES || this.#read.get(path) === mtimeMs) continue;
      this.#read.set(path, mtimeMs);
      this.#add(await readFile(path, "utf8").catch(() => ""));
    }
  }

  #add(text: string): void {
    for (const { name, inputs } of errorsIn(text)) {
      const signature = `${name}(${inputs.map(canonicalType).join(",")})`;
      this.#bySelector.set(bareHex(keccak256(Buffer.from(signature)).subarray(0, SELECTOR_BYTES)), {
        name,
        inputs,
      });
    }
  }
}

const MAX_SHOWN_BYTES = 256;

interface StatResult {
  readonly mtimeMs: number;
  readonly size: number;
}

/** Returns the errors of an artifact, or of a bare ABI; none for any other text. */
function errorsIn(text: string): CustomError[] {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return []; // another tool's file
  }
  const abi = Array.isArray(json) ? json : ((json ?? {}) as { readonly abi?: unknown }).abi;
  return Array.isArray(abi) ? abi.filter(isError) : [];
}

function isError(entry: unknown): entry is CustomError {
  const { type, name, inputs } = (entry ?? {}) as Readonly<Record<string, unknown>>;
  return type === "error" && typeof name === "string" && Array.isArray(inputs) && inputs.every(isParameter);
}

function isParameter(entry: unknown): entry is AbiParameter {
  const { type, components = [] } = (entry ?? {}) as Readonly<Record<string, unknown>>;
  return (
    typeof type === "string" &&
    type.length <= MAX_TYPE_LENGTH &&
    Array.isArray(components) &&
    components.every(isParameter)
  );
}
