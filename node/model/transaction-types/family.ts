/**
 * The chain's own kinds come in families of three: plain, with a fee payer, and with a fee payer who pays a
 * share. A family is a row of columns; the rest is the same for all: price and gas in front, signatures at the
 * end, and what is signed, `keccak(RLP [RLP [type, fields...] as string, chain id, 0, 0])`, with the fee payer's
 * address before the chain id in what that one signs.
 */
import { toQuantity } from "../../bytes/integer.ts";
import type { Rules } from "../../config/rules.ts";
import { chainTail, checkProtectedSignature, protectedMeaning, protectedV } from "../protected-signature.ts";
import { RlpCursor } from "../rlp-cursor.ts";
import { CALL_GAS, floorGasAbove, inputGas } from "../transaction-gas.ts";
import {
  badSignature,
  digestOfFirst,
  ownPrice,
  readSignatures,
  writer,
  writeSignatures,
} from "../transaction-parts.ts";
import type {
  Action,
  Signature,
  TransactionBody,
  TransactionContent,
  TransactionType,
} from "../transaction-type.ts";
import { type Column, feeRatio, type Reading } from "./column.ts";

/** What a family says of itself. */
export interface Family
  extends Pick<
    Partial<TransactionType>,
    "anchors" | "creates" | "recipientMust" | "replacesAnyPrice" | "role" | "shownToSender" | "zeroIsNobody"
  > {
  /** The number of the plain kind; one more with a fee payer, two more with a ratio. */
  readonly code: number;
  readonly stem: string;
  /** The columns after gas, in their order. */
  readonly columns: readonly Column[];
  /** Those after the fee ratio. */
  readonly afterRatio?: readonly Column[];
  /** What the kind costs without input; 21000 when left out. */
  readonly baseGas?: bigint;
  /** What it owes beyond base, delegation and input. */
  readonly extraGas?: (content: TransactionContent, rules: Rules) => bigint;
  readonly action: Action;
}

/** Gas for a fee payer, without and with a ratio. */
const DELEGATED_GAS = 10_000n;
const RATIO_GAS = 15_000n;
/** Nonce, price and gas, which every family begins with. */
const COMMON = 3;
const NO_TAIL = new Uint8Array(0);
const NO_INPUT = new Uint8Array(0);
const NOBODY = new Uint8Array(20);

/** The three rows of a family. */
export function familyRows(family: Family): readonly TransactionType[] {
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

/** What differs between the rows of a family. */
interface Member {
  readonly code: number;
  readonly name: string;
  readonly columns: readonly Column[];
  /** What it costs without input. */
  readonly gas: bigint;
}

function plainRow(family: Family, { code, name, columns, gas }: Member): TransactionType {
  const { role = "transaction", creates = () => false, extraGas = () => 0n } = family;
  const { anchors = false, shownToSender = false, replacesAnyPrice = false } = family;
  const { zeroIsNobody = false, action } = family;
  return {
    code,
    name,
    ethType: 0,
    prefix: Uint8Array.of(code),
    hashFrom: 0,
    always: true,
    action,
    ...(family.recipientMust && { recipientMust: family.recipientMust }),
    zeroIsNobody,
    role,
    creates,
    anchors,
    shownToSender,
    replacesAnyPrice,
    namesItself: true,
    read: (cursor, start) => readMember(columns, false, cursor, start),
    encode: (content, signatures) => encodeMember(code, columns, content, { signatures, payer: false }),
    checkSignatures,
    meaning: (_body, { v }) => familyMeaning(v),
    digest: (body) => innerDigest(body.raw, COMMON + columns.length, code, chainTail(body.chainId ?? 0n)),
    v: protectedV,
    intrinsicGas: (content, rules) =>
      gas + inputGas(content.input, rules.inputGas) + extraGas(content, rules),
    floorGas: (content, rules) => floorGasAbove(gas, content.input, rules),
    json: (content) => memberJson(columns, content),
    shownPrice: ownPrice,
  };
}

function delegatedRow(family: Family, member: Member): TransactionType {
  const { code, columns } = member;
  const signed = COMMON + columns.length;
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
  const price = cursor.bigint();
  const gas = cursor.bigint(8);
  const into: Reading = { to: undefined, value: 0n, input: NO_INPUT, fields: {} };
  for (const column of columns) column.read(cursor, into);
  const signatures = readSignatures(cursor);
  if (delegated) {
    into.fields.feePayer = cursor.fixed(20);
    into.fields.payerSignatures = readSignatures(cursor);
  }
  cursor.leave(end);
  const { to, value, input, fields } = into;
  const [first] = signatures;
  const chainId = first === undefined ? 0n : familyMeaning(first.v).chainId;
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

/** All of a sender's signatures are for one chain; the fee payer's are looked at when they are recovered. */
function checkSignatures({ signatures }: TransactionBody): void {
  const [first] = signatures;
  if (first === undefined) throw badSignature();
  const { chainId } = familyMeaning(first.v);
  for (const signature of signatures) {
    checkProtectedSignature(signature);
    if (familyMeaning(signature.v).chainId !== chainId) throw badSignature();
  }
}

/** A signature that names no chain counts as one for chain 0. */
function familyMeaning(v: bigint): { parity: number; chainId: bigint } {
  const { parity, chainId = 0n } = protectedMeaning(v);
  return { parity, chainId };
}

function innerDigest(raw: Uint8Array, count: number, code: number, tail: Uint8Array): Uint8Array {
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
  return writer.hash();
}

function payerTail(payer: Uint8Array, chainId: bigint): Uint8Array {
  const chain = chainTail(chainId);
  const tail = new Uint8Array(1 + payer.length + chain.length);
  tail[0] = 0x80 + payer.length;
  tail.set(payer, 1);
  tail.set(chain, 1 + payer.length);
  return tail;
}
