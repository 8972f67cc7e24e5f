/**
 * `knit decode`: prints chain data as JSON. The input is hex text, or a file with hex text or bytes. The format is the
 * one of `--type`, or the first of the table that reads all bytes.
 */
import { open } from "node:fs/promises";
import { tryBareHex } from "../bytes/hex.ts";
import { messageOf } from "../bytes/message-of.ts";
import { exactJsonText } from "../config/exact-json.ts";
import { OptionError } from "../options/error.ts";
import { optionValues } from "../options/resolve.ts";
import type { CommandJob } from "./chain-commands.ts";
import { decodeAccountJson, decodeAccountKeyJson } from "./decode-account.ts";
import { DecodeError } from "./decode-error.ts";
import { decodeGovernanceJson, decodeVoteJson } from "./decode-governance.ts";
import { decodeBlockJson, decodeExtraJson, decodeHeaderJson } from "./decode-header.ts";
import { decodeNames } from "./decode-names.ts";
import { decodeReceiptJson } from "./decode-receipt.ts";
import { rlpJson } from "./decode-rlp.ts";
import { decodeTransactionJson } from "./decode-transaction.ts";
import { decodeOptions } from "./options.ts";

/** Maximum size of the input in bytes. */
const MAX_INPUT = 64 * 1024 * 1024;

type TypeName = (typeof decodeNames)[number]["name"];

const DECODERS: Readonly<Record<TypeName, (bytes: Uint8Array) => unknown>> = {
  transaction: decodeTransactionJson,
  block: decodeBlockJson,
  header: decodeHeaderJson,
  receipt: decodeReceiptJson,
  extra: decodeExtraJson,
  account: decodeAccountJson,
  "account-key": decodeAccountKeyJson,
  vote: decodeVoteJson,
  governance: decodeGovernanceJson,
  rlp: rlpJson,
};

/** Runs the command. Rejects with `DecodeError` or `OptionError`. */
export async function decode({ shell, resolved, arguments: [argument = ""] }: CommandJob): Promise<void> {
  const { type: wanted } = optionValues(decodeOptions, resolved);
  const type = wanted === undefined ? undefined : typeNamed(wanted);
  const bytes = await decodeInput(argument);
  const decoded = type === undefined ? detectType(bytes) : { type, json: DECODERS[type](bytes) };
  if (type === undefined) shell.stderr.write(`this is ${decoded.type} (guessed; --type sets the type)\n`);
  shell.stdout.write(`${exactJsonText(decoded.json, 2)}\n`);
}

function typeNamed(text: string): TypeName {
  const found = decodeNames.find(({ name }) => name === text);
  if (found !== undefined) return found.name;
  const names = decodeNames.map(({ name }) => name).join(", ");
  throw new OptionError("bad-value", `--type must be one of ${names}, not ${JSON.stringify(text)}`);
}

/** Reads hex text, with or without `0x`, or else the file of that name. Throws `OptionError`. */
async function decodeInput(argument: string): Promise<Uint8Array> {
  const given = hexBytes(argument);
  if (given !== undefined) return given;
  const bytes = await readBounded(argument);
  // Text only when all of it is: most binary input is known by its first bytes.
  const isText = hexBytes(Buffer.from(bytes.subarray(0, 4)).toString("latin1").padEnd(4, "0")) !== undefined;
  const text = isText ? Buffer.from(bytes).toString("latin1").replaceAll(/\s+/g, "") : "";
  return hexBytes(text) ?? bytes;
}

/** Returns the bytes of hex text; undefined for any other text and for none. */
function hexBytes(text: string): Uint8Array | undefined {
  const digits = text.trim().replace(/^0x/i, "");
  return digits === "" ? undefined : tryBareHex(digits);
}

async function readBounded(path: string): Promise<Uint8Array> {
  try {
    await using file = await open(path);
    const { size } = await file.stat();
    if (size > MAX_INPUT) throw new Error(`${size} bytes, at most ${MAX_INPUT} are decoded`);
    const bytes = new Uint8Array(size + 1);
    let length = 0;
    for (let read = 1; read > 0 && length < bytes.length; length += read) {
      read = (await file.read(bytes, length)).bytesRead;
    }
    return bytes.subarray(0, Math.min(length, size));
  } catch (error) {
    const why = messageOf(error);
    const typed = /^(0x)?[0-9a-f]*$/i.test(path) ? "an odd number of hex digits, and no file: " : "";
    throw new OptionError(
      "bad-file",
      `cannot read ${JSON.stringify(path.slice(0, 80))}: ${typed}${why}`,
      error,
    );
  }
}

/** Returns the first format that reads all bytes, or throws the error with the largest offset. */
function detectType(bytes: Uint8Array): { readonly type: TypeName; readonly json: unknown } {
  const complaints: DecodeError[] = [];
  for (const { name } of decodeNames) {
    try {
      return { type: name, json: DECODERS[name](bytes) };
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error;
      // Extra data begins with bytes that may be anything: to have passed them says nothing.
      if (name !== "extra") complaints.push(error);
    }
  }
  const rlp = complaints.pop()?.message;
  const nearest = complaints.reduce((best, each) => (each.at > best.at ? each : best));
  throw new DecodeError(`these bytes are of no known type: ${nearest.message}; ${rlp}`, nearest.at);
}
