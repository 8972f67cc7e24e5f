/** Vote field of a header: RLP of voter, parameter name and value bytes. */
import type { Address } from "../bytes/brands.ts";
import { concatBytes } from "../bytes/compare.ts";
import { BytesError } from "../bytes/error.ts";
import { fromHex } from "../bytes/hex.ts";
import { encodeRlp } from "../bytes/rlp.ts";
import { RlpCursor } from "../bytes/rlp-cursor.ts";
import { GovernanceError } from "./error.ts";
import {
  addressValue,
  bytesOfValue,
  PARAMETERS,
  type ParameterValue,
  valueOfBytes,
  valueOfJson,
} from "./parameter-rows.ts";

/** A vote for the value of a parameter. */
export interface ParameterVote {
  readonly kind: "parameter";
  readonly voter: Address;
  readonly name: string;
  readonly value: ParameterValue;
}

/** A vote to add validators to the council or to remove them. */
export interface ValidatorVote {
  readonly kind: "validators";
  readonly voter: Address;
  readonly adds: boolean;
  readonly addresses: readonly Address[];
}

/** Vote of a header. */
export type Vote = ParameterVote | ValidatorVote;

const ADD = "governance.addvalidator";
const REMOVE = "governance.removevalidator";
const ADDRESS_BYTES = 20;
/** Bound of the name in bytes; no parameter has a longer one. */
const MAX_NAME_BYTES = 100;
/** Bound of the validators of a vote of this node; no council comes near it. Votes of headers have none. */
const MAX_VALIDATORS = 4_096;

/** Returns true for the names of votes about validators. */
export function isValidatorVote(name: string): boolean {
  return name === ADD || name === REMOVE;
}

/** Decodes a vote. Throws `GovernanceError` `bad-vote`: "invalid rlp" or "invalid vote data". */
export function decodeVote(bytes: Uint8Array): Vote {
  const { voter, name, value } = voteFields(bytes);
  if (isValidatorVote(name)) {
    const addresses = validators(value);
    return { kind: "validators", voter, adds: name === ADD, addresses };
  }
  const row = PARAMETERS.get(name);
  const decoded = row?.votable === true ? valueOfBytes(row, value) : undefined;
  if (decoded === undefined) throw new GovernanceError("bad-vote", "invalid vote data");
  return { kind: "parameter", voter, name, value: decoded };
}

/** Returns the name of the parameter, or of the change of the council. */
export function voteName(vote: Vote): string {
  if (vote.kind === "parameter") return vote.name;
  return vote.adds ? ADD : REMOVE;
}

/** Encodes a vote as in a header; addresses of validators are concatenated. */
export function encodeVote(vote: Vote): Uint8Array<ArrayBuffer> {
  const value =
    vote.kind === "parameter" ? bytesOfValue(vote.name, vote.value) : concatBytes(...vote.addresses);
  return encodeRlp([vote.voter, Buffer.from(voteName(vote)), value]);
}

/**
 * Creates a vote from a name and a JSON value; validators are a string with commas. Undefined when they are
 * invalid.
 */
export function voteOfJson(voter: Address, name: string, json: unknown): Vote | undefined {
  if (isValidatorVote(name)) {
    const texts = typeof json === "string" ? json.split(",", MAX_VALIDATORS + 1) : [];
    const addresses = texts.map(addressValue).filter((each) => each !== undefined);
    const whole =
      addresses.length === texts.length && addresses.length > 0 && addresses.length <= MAX_VALIDATORS;
    return whole
      ? { kind: "validators", voter, adds: name === ADD, addresses: addresses.map(fromHex) }
      : undefined;
  }
  const row = PARAMETERS.get(name);
  const value = row?.votable === true ? valueOfJson(row, json) : undefined;
  return value === undefined ? undefined : { kind: "parameter", voter, name, value };
}

function voteFields(bytes: Uint8Array): { voter: Address; name: string; value: Uint8Array } {
  try {
    const cursor = new RlpCursor(bytes);
    const end = cursor.enter();
    const voter = cursor.address();
    const name = cursor.string();
    const value = cursor.string();
    cursor.leave(end);
    if (cursor.done) return { voter, name: Buffer.from(name.subarray(0, MAX_NAME_BYTES)).toString(), value };
  } catch (cause) {
    if (!(cause instanceof BytesError)) throw cause;
  }
  throw new GovernanceError("bad-vote", "invalid rlp");
}

/**
 * Splits concatenated addresses; a value of another length is one address in its last 20 bytes, as in an old
 * block.
 */
function validators(value: Uint8Array): readonly Address[] {
  if (value.length % ADDRESS_BYTES !== 0) {
    const last = value.subarray(-ADDRESS_BYTES);
    const address = new Uint8Array(ADDRESS_BYTES);
    address.set(last, ADDRESS_BYTES - last.length);
    return [address];
  }
  return Array.from({ length: value.length / ADDRESS_BYTES }, (_, i) =>
    value.subarray(i * ADDRESS_BYTES, (i + 1) * ADDRESS_BYTES).slice(),
  );
}
