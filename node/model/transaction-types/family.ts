/**
 * Kaia's own transaction types come in families of three: plain, fee-delegated, and fee-delegated with ratio.
 * A family is a row of columns; price and gas in front and the signatures at the end are the same for all.
 * The sender signs `keccak(RLP [RLP [type, fields...] as string, chain id, 0, 0])`; the fee payer signs the
 * same with its address before the chain id.
 */
import type { Address, Hash } from "../../bytes/brands.ts";
import { toQuantity } from "../../bytes/integer.ts";
import { RlpCursor } from "../../bytes/rlp-cursor.ts";
import type { Rules } from "../../config/rules.ts";
import { keccak256 } from "../../crypto/keccak.ts";
import {
  chainTail,
  checkProtectedSignature,
  decodeProtectedV,
  encodeProtectedV,
} from "../protected-signature.ts";
import {
  badSignature,
  digestOfFirst,
  ownPrice,
  readSignatures,
  writer,
  writeSignatures,
} from "../transaction-codec.ts";
import { CALL_GAS, floorGasAbove, inputGas } from "../transaction-gas.ts";
import type {
  Action,
  Signature,
  TransactionBody,
  TransactionContent,
  TransactionType,
} from "../transaction-type.ts";
import { type Column, type ColumnValues, feeRatio } from "./column.ts";

/** Declaration of a family. */
export interface TransactionFamily
  extends Pick<
    Partial<TransactionType>,
    | "isAnchoring"
    | "creates"
    | "recipientRule"
    | "replacesAnyPrice"
    | "role"
    | "recipientIsSender"
    | "zeroIsNoRecipient"
  > {
  /** Number of the plain type; plus 1 for fee-delegated, plus 2 with ratio. */
  readonly code: number;
  readonly stem: string;
  /** The columns after gas, in their order. */
  readonly columns: readonly Column[];
  /** The columns after the fee ratio. */
  readonly afterRatio?: readonly Column[];
  /** Gas of the type without input; 21000 when absent. */
  readonly baseGas?: bigint;
  /** Returns the gas beyond base, fee delegation and input. */
  readonly extraGas?: (content: TransactionContent, rules: Rules) => bigint;
  readonly action: Action;
}

/** Gas of a fee payer, without and with a ratio. */
const DELEGATED_GAS = 10_000n;
const RATIO_GAS = 15_000n;
/** Number of the fields that every family begins with: nonce, price and gas. */
const COMMON_FIELDS = 3;
const NO_TAIL = new Uint8Array(0);
const NO_INPUT = new Uint8Array(0);
const NOBODY = new Uint8Array(20);

/** Returns the three rows of a family. */
export function familyRows(family: TransactionFamily): readonly TransactionType[] {
  const { code, stem, columns, afterRatio = [], baseGas = CALL_GAS } = family;
  const plain = { code, name: `TxType${stem}`, columns: [...columns, ...afterRatio], gas: baseGas };
  const delegated = {
    ...plain,
    code: code + 1,
    name: `TxTypeFeeDelegated${stem}`,
    gas: baseGas + DELEGATED_GAS,
  };
  const shared = {
    code: code + 2,
    name: `TxTypeFeeDelegated${stem}WithRatio`,
    columns: [...columns, feeRatio, ...afterRatio],
    gas: baseGas + RATIO_GAS,
  };
  return [plainRow(family, plain), delegatedRow(family, delegated), delegatedRow(family, shared)];
}

/** The parts of a row that differ within a family. */
interface Member {
  readonly code: number;
  readonly name: string;
  readonly columns: readonly Column[];
  /** Gas without input. */
  readonly gas: bigint;
}

function plainRow(family: TransactionFamily, { code, name, columns, gas }: Member): TransactionType {
  const { role = "transaction", creates = () => false, extraGas = () => 0n } = family;
  const { isAnchoring = false, recipientIsSender = false, replacesAnyPrice = false } = family;
  const { zeroIsNoRecipient = false, action } = family;
  return {
    code,
    name,
    ethType: 0,
    prefix: Uint8Array.of(code),
    hashFrom: 0,
    isAlwaysAccepted: true,
    action,
    ...(family.recipientRule && { recipientRule: family.recipientRule }),
    zeroIsNoRecipient,
    role,
    creates,
    isAnchoring,
    recipientIsSender,
    replacesAnyPrice,
    hasTypeInJson: true,
    read: (cursor, start) => readMember(columns, false, cursor, start),
    encode: (content, signatures) => encodeMember(code, columns, content, { signatures, payer: false }),
    checkSignatures,
    decodeV: (_body, { v }) => decodeFamilyV(v),
    digest: (body) =>
      innerDigest(body.raw, COMMON_FIELDS + columns.length, code, chainTail(body.chainId ?? 0n)),
    encodeV: encodeProtectedV,
    intrinsicGas: (content, rules) =>
      gas + inputGas(content.input, rules.inputGas) + extraGas(content, rules),
    floorGas: (content, rules) => floorGasAbove(gas, content.input, rules),
    json: (content) => memberJson(columns, content),
    jsonGasPrice: ownPrice,
  };
}

function delegatedRow(family: TransactionFamily, member: Member): TransactionType {
  const { code, columns } = member;
  const signed = COMMON_FIELDS + columns.length;
  return {
    ...plainRow(family, member),
    read: (cursor, start) => readMember(columns, true, cursor, start),
    encode: (content, signatures) => encodeMember(code, columns, content, { signatures, payer: true }),
    senderHash: ({ raw }) => digestOfFirst(raw, { listAt: 1, count: signed + 1 }, code, NO_TAIL),
    payerDigest: ({ raw, fields }, chainId) =>
      innerDigest(raw, signed, code, payerTail(fields.feePayer ?? NOBODY, chainId)),
  };
}

function readMember(
  columns: readonly Column[],
  delegated: boolean,
  cursor: RlpCursor,
  start: number,
): TransactionBody {
  const end = cursor.enter();
  const nonce = cursor.bigint(8);
  const price = cursor.integer();
  const gas = cursor.bigint(8);
  const into: ColumnValues = { to: undefined, value: 0n, input: NO_INPUT, fields: {} };
  for (const column of columns) column.read(cursor, into);
  const signatures = readSignatures(cursor);
  if (delegated) {
    into.fields.feePayer = cursor.address();
    into.fields.payerSignatures = readSignatures(cursor);
  }
  cursor.leave(end);
  const { to, value, input, fields } = into;
  const [first] = signatures;
  const chainId = first === undefined ? 0n : decodeFamilyV(first.v).chainId;
  const raw = cursor.bytes.subarray(start, cursor.at);
  return {
    nonce,
    gas,
    gasFeeCap: price,
    gasTipCap: price,
    value,
    to,
    input,
    chainId,
    fields,
    signatures,
    raw,
  };
}

function encodeMember(
  code: number,
  columns: readonly Column[],
  content: TransactionContent,
  { signatures, payer }: { readonly signatures: readonly Signature[]; readonly payer: boolean },
): Uint8Array {
  writer.reset();
  if (payer) {
    writeSignatures(content.fields.payerSignatures ?? []);
    writer.string(content.fields.feePayer ?? NOBODY);
  }
  writeSignatures(signatures);
  for (let i = columns.length - 1; i >= 0; i--) columns[i]?.write(content);
  writer.integer(content.gas);
  writer.integer(content.gasFeeCap);
  writer.integer(content.nonce);
  writer.list(0);
  writer.byte(code);
  return writer.take();
}

function memberJson(
  columns: readonly Column[],
  content: TransactionContent,
): Readonly<Record<string, unknown>> {
  const json: Record<string, unknown> = {
    nonce: toQuantity(content.nonce),
    gasPrice: toQuantity(content.gasFeeCap),
    gas: toQuantity(content.gas),
  };
  for (const column of columns) Object.assign(json, column.json(content));
  return json;
}

/** Checks that all signatures of the sender are for one chain; the fee payer's are checked at recovery. */
function checkSignatures({ signatures }: TransactionBody): void {
  const [first] = signatures;
  if (first === undefined) throw badSignature();
  const { chainId } = decodeFamilyV(first.v);
  for (const signature of signatures) {
    checkProtectedSignature(signature);
    if (decodeFamilyV(signature.v).chainId !== chainId) throw badSignature();
  }
}

/** Returns parity and chain id; a signature without a chain id counts as one for chain 0. */
function decodeFamilyV(v: bigint): { parity: number; chainId: bigint } {
  const { parity, chainId = 0n } = decodeProtectedV(v);
  return { parity, chainId };
}

function innerDigest(raw: Uint8Array, count: number, code: number, tail: Uint8Array): Hash {
  const cursor = new RlpCursor(raw, 1);
  cursor.enter();
  const from = cursor.at;
  for (let i = 0; i < count; i++) cursor.skip();
  writer.reset().raw(tail);
  const mark = writer.length;
  writer.raw(raw.subarray(from, cursor.at));
  writer.byte(code);
  writer.list(mark);
  writer.wrap(mark);
  writer.list(0);
  return keccak256(writer.view);
}

function payerTail(payer: Address, chainId: bigint): Uint8Array {
  const chain = chainTail(chainId);
  const tail = new Uint8Array(1 + payer.length + chain.length);
  tail[0] = 0x80 + payer.length;
  tail.set(payer, 1);
  tail.set(chain, 1 + payer.length);
  return tail;
}
