/**
 * `knit decode`: prints chain data as JSON. The format is the one of `--type`, or the first of the table that
 * reads all bytes.
 */

import { exactJsonText } from "../config/exact-json.ts";
import { OptionError } from "../options/error.ts";
import { optionValues } from "../options/resolve.ts";
import type { CommandJob } from "./chain-commands.ts";
import { decodeAccountJson, decodeAccountKeyJson } from "./decode-account.ts";
import { DecodeError } from "./decode-error.ts";
import { decodeGovernanceJson, decodeVoteJson } from "./decode-governance.ts";
import { decodeBlockJson, decodeExtraJson, decodeHeaderJson } from "./decode-header.ts";
import { decodeInput } from "./decode-input.ts";
import { decodeNames } from "./decode-names.ts";
import { decodeReceiptJson } from "./decode-receipt.ts";
import { rlpJson } from "./decode-rlp.ts";
import { decodeTransactionJson } from "./decode-transaction.ts";
import { decodeOptions } from "./options.ts";

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
