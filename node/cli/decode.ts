/**
 * `knit decode`: bytes of the chain as JSON for people who debug. The type is the one asked for, or the first of
 * the table that reads all of the bytes.
 */
import { exactJsonText } from "../config/exact-json.ts";
import { OptionError } from "../config/options-error.ts";
import type { Job } from "./chain-commands.ts";
import { decodedAccount, decodedAccountKey } from "./decode-account.ts";
import { DecodeError } from "./decode-error.ts";
import { decodedGovernance, decodedVote } from "./decode-governance.ts";
import { decodedBlock, decodedExtra, decodedHeader } from "./decode-header.ts";
import { decodeInput } from "./decode-input.ts";
import { decodeNames } from "./decode-names.ts";
import { decodedReceipt } from "./decode-receipt.ts";
import { rlpJson } from "./decode-rlp.ts";
import { decodedTransaction } from "./decode-transaction.ts";

type TypeName = (typeof decodeNames)[number]["name"];

const DECODERS: Readonly<Record<TypeName, (bytes: Uint8Array) => unknown>> = {
  transaction: decodedTransaction,
  block: decodedBlock,
  header: decodedHeader,
  receipt: decodedReceipt,
  extra: decodedExtra,
  account: decodedAccount,
  "account-key": decodedAccountKey,
  vote: decodedVote,
  governance: decodedGovernance,
  rlp: rlpJson,
};

/** Carries out the command. Rejects with `DecodeError` or `OptionError`. */
export async function decode({ shell, resolved, arguments: [argument = ""] }: Job): Promise<void> {
  const wanted = resolved.values["decode.type"];
  const type = wanted === undefined ? undefined : typeNamed(wanted);
  const bytes = await decodeInput(argument);
  const decoded = type === undefined ? guessed(bytes) : { type, json: DECODERS[type](bytes) };
  if (type === undefined) shell.stderr.write(`this is ${decoded.type} (guessed; --type says it for sure)\n`);
  shell.stdout.write(`${exactJsonText(decoded.json, 2)}\n`);
}

function typeNamed(text: string): TypeName {
  const found = decodeNames.find(({ name }) => name === text);
  if (found !== undefined) return found.name;
  const names = decodeNames.map(({ name }) => name).join(", ");
  throw new OptionError("bad-value", `--type must be one of ${names}, not ${JSON.stringify(text)}`);
}

/** The type that reads everything; else the complaint of the one that came farthest, and what RLP says. */
function guessed(bytes: Uint8Array): { readonly type: TypeName; readonly json: unknown } {
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
  const nearest = complaints.reduce((best, each) => (placeOf(each) > placeOf(best) ? each : best));
  throw new DecodeError(`these bytes are of no known type: ${nearest.message}; ${rlp}`);
}

/** The byte that a complaint names. */
function placeOf({ message }: DecodeError): number {
  return Math.max(...[...message.matchAll(/\bbyte (\d+)/g)].map(([, at]) => Number(at)));
}
