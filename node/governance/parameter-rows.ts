/**
 * Table of the governance parameters: kind, conversion from bytes and JSON, and the right to vote for them
 * (`kaiax/gov/param.go@v2.2.2`).
 */
import { bareHex, fromHex } from "../bytes/hex.ts";
import { bytesToBigint, integerBytes } from "../bytes/integer.ts";

/**
 * Canonical value: integers as bigint, addresses as lower-case `0x` text, amounts as decimal text. A header names amounts
 * of millions of digits, which take seconds to become a bigint: only who computes with one converts it.
 */
export type ParameterValue = bigint | string | boolean;

/** Values by parameter name. */
export type ParameterValues = ReadonlyMap<string, ParameterValue>;

/** A parameter. `integer` has at most 64 bits; `amount` has any size and is written as decimal text. */
export interface GovernanceParameterRow {
  readonly kind: "integer" | "amount" | "address" | "text" | "boolean";
  readonly votable: boolean;
  /** Check of the value; absent when every value of the kind is valid. */
  readonly accepts?: (value: ParameterValue) => boolean;
}

const integer = { kind: "integer", votable: true } as const;
const address = { kind: "address", votable: true } as const;

/** Rows by parameter name. */
export const PARAMETERS: ReadonlyMap<string, GovernanceParameterRow> = new Map<
  string,
  GovernanceParameterRow
>([
  ["governance.deriveshaimpl", { ...integer, accepts: (value) => Number(value) <= 2 }],
  ["governance.governancemode", { kind: "text", votable: false, accepts: isMode }],
  ["governance.governingnode", address],
  ["governance.govparamcontract", address],
  ["governance.unitprice", integer],
  ["istanbul.committeesize", { ...integer, accepts: (value) => value !== 0n }],
  ["istanbul.epoch", { ...integer, votable: false }],
  ["istanbul.policy", { ...integer, votable: false, accepts: (value) => Number(value) <= 2 }],
  ["kip71.basefeedenominator", { ...integer, accepts: (value) => value !== 0n }],
  ["kip71.gastarget", integer],
  ["kip71.lowerboundbasefee", integer],
  ["kip71.maxblockgasusedforbasefee", integer],
  ["kip71.upperboundbasefee", integer],
  ["reward.deferredtxfee", { kind: "boolean", votable: false }],
  ["reward.kip82ratio", { kind: "text", votable: true, accepts: (value) => isRatio(value, [2]) }],
  ["reward.mintingamount", { kind: "amount", votable: true }],
  ["reward.minimumstake", { kind: "amount", votable: false, accepts: (value) => !isNegative(value) }],
  ["reward.proposerupdateinterval", { ...integer, votable: false }],
  ["reward.ratio", { kind: "text", votable: true, accepts: (value) => isRatio(value, [3, 4]) }],
  [
    "reward.stakingrewardthreshold",
    { kind: "amount", votable: true, accepts: (value) => !isNegative(value) },
  ],
  ["reward.stakingupdateinterval", { ...integer, votable: false }],
  ["reward.useflexreward", { kind: "boolean", votable: true }],
  ["reward.useginicoeff", { kind: "boolean", votable: false }],
]);

const ADDRESS_BYTES = 20;
const INTEGER_BYTES = 8;
/** Largest share of a ratio; only with others next to it can the sum be 100. Longer ones are not parsed. */
const MAX_SHARE = (1n << 63n) - 1n;
const MAX_SHARE_DIGITS = 19;

/** Decodes the bytes of a vote or of the governance contract; undefined when they are invalid. */
export function valueOfBytes(row: GovernanceParameterRow, bytes: Uint8Array): ParameterValue | undefined {
  return acceptValue(row, FROM_BYTES[row.kind](bytes));
}

/** Decodes a member of governance JSON; undefined when it is invalid. */
export function valueOfJson(row: GovernanceParameterRow, json: unknown): ParameterValue | undefined {
  return acceptValue(row, FROM_JSON[row.kind](json));
}

/** Encodes a value as in a vote for this parameter. */
export function bytesOfValue(name: string, value: ParameterValue): Uint8Array {
  if (typeof value === "boolean") return Uint8Array.of(value ? 1 : 0);
  const kind = PARAMETERS.get(name)?.kind;
  if (typeof value === "bigint" && kind === "integer") return integerBytes(value);
  return kind === "address" ? fromHex(String(value)) : Buffer.from(String(value));
}

function acceptValue(
  row: GovernanceParameterRow,
  value: ParameterValue | undefined,
): ParameterValue | undefined {
  return value !== undefined && (row.accepts?.(value) ?? true) ? value : undefined;
}

type ParameterKind = GovernanceParameterRow["kind"];

const FROM_BYTES: Readonly<Record<ParameterKind, (bytes: Uint8Array) => ParameterValue | undefined>> = {
  integer: (bytes) => (bytes.length <= INTEGER_BYTES ? bytesToBigint(bytes) : undefined),
  amount: (bytes) => decimalText(Buffer.from(bytes).toString("latin1")),
  address: (bytes) => (bytes.length === ADDRESS_BYTES ? `0x${bareHex(bytes)}` : undefined),
  boolean: (bytes) => (bytes.length === 1 && (bytes[0] ?? 2) < 2 ? bytes[0] === 1 : undefined),
  text: (bytes) => Buffer.from(bytes).toString("utf8"),
};

const FROM_JSON: Readonly<Record<ParameterKind, (json: unknown) => ParameterValue | undefined>> = {
  integer: jsonInteger,
  amount: (json) => (typeof json === "string" ? decimalText(json) : undefined),
  address: (json) => (typeof json === "string" ? addressValue(json) : undefined),
  boolean: (json) => (typeof json === "boolean" ? json : undefined),
  text: (json) => (typeof json === "string" ? json : undefined),
};

/** Reads an integer as Go does: every JSON number is a double, valid if it is a 64-bit integer. */
function jsonInteger(json: unknown): bigint | undefined {
  if (typeof json !== "number" || !Number.isInteger(json) || json < 0) return undefined;
  const value = BigInt(json);
  return value < 1n << 64n ? value : undefined;
}

/** Returns an integer of any size in its shortest form; undefined for other text. */
function decimalText(text: string): string | undefined {
  if (!/^[+-]?\d+$/.test(text)) return undefined;
  let at = text.startsWith("+") || text.startsWith("-") ? 1 : 0;
  while (at < text.length - 1 && text[at] === "0") at++;
  const digits = text.slice(at);
  return text.startsWith("-") && digits !== "0" ? `-${digits}` : digits;
}

/** Returns the canonical form of an address text with or without `0x`; undefined when it is invalid. */
export function addressValue(text: string): string | undefined {
  const digits = text.replace(/^0x/i, "");
  return /^[0-9a-f]{40}$/i.test(digits) ? `0x${digits.toLowerCase()}` : undefined;
}

function isNegative(value: ParameterValue): boolean {
  return typeof value === "string" && value.startsWith("-");
}

function isMode(value: ParameterValue): boolean {
  return value === "none" || value === "single";
}

/**
 * Parses shares in percent, for example `a/b/c`, of one of the counts; undefined for anything else. Their sum is 100 in
 * signed integers of 64 bits, as in the Go node, so that two of them may be next to 2^63.
 */
export function ratioShares(text: string, counts: readonly number[]): readonly bigint[] | undefined {
  const parts = text.split("/", Math.max(...counts) + 1);
  if (!counts.includes(parts.length)) return undefined;
  const shares: bigint[] = [];
  for (const part of parts) {
    const digits = decimalText(part);
    if (digits === undefined || digits.length > MAX_SHARE_DIGITS) return undefined;
    const share = BigInt(digits);
    if (share < 0n || share > MAX_SHARE) return undefined;
    shares.push(share);
  }
  const sum = shares.reduce((all, share) => all + share, 0n);
  return BigInt.asIntN(64, sum) === 100n ? shares : undefined;
}

function isRatio(value: ParameterValue, counts: readonly number[]): boolean {
  return typeof value === "string" && ratioShares(value, counts) !== undefined;
}
