/** JSON of receipts in three formats: of the receipts root, of the Go node's database and of knit's. */
import { toHex } from "../bytes/hex.ts";
import { toQuantity } from "../bytes/integer.ts";
import { RlpCursor } from "../bytes/rlp-cursor.ts";
import { STATUS_TEXTS } from "../model/receipt-status.ts";
import { partError, withOffset } from "./decode-error.ts";

/** Readers of fields by the name in the output. */
type Fields = readonly (readonly [name: string, read: (cursor: RlpCursor) => unknown])[];

const hash = (cursor: RlpCursor): string => toHex(cursor.hash());
const address = (cursor: RlpCursor): string => toHex(cursor.address());
const quantity = (cursor: RlpCursor): string => toQuantity(cursor.bigint(8));
const bloom = (cursor: RlpCursor): string => toHex(cursor.fixedBytes(256));

const LOG: Fields = [
  ["address", address],
  ["topics", (cursor) => listOf(cursor, hash)],
  ["data", (cursor) => toHex(cursor.string())],
];
const PLACED_LOG: Fields = [
  ...LOG,
  ["blockNumber", quantity],
  ["transactionHash", hash],
  ["transactionIndex", quantity],
  ["blockHash", hash],
  ["logIndex", quantity],
];

/** Formats by their number of fields. */
const FORMS: Readonly<Record<number, { readonly form: string; readonly fields: Fields }>> = {
  4: {
    form: "consensus",
    fields: [
      ["status", quantity],
      ["gasUsed", quantity],
      ["logsBloom", bloom],
      ["logs", (cursor) => listOf(cursor, (inside) => record(inside, LOG))],
    ],
  },
  5: {
    form: "stored",
    fields: [
      ["status", quantity],
      ["gasUsed", quantity],
      ["transactionHash", hash],
      ["contractAddress", optionalAddress],
      ["logs", (cursor) => listOf(cursor, (inside) => record(inside, LOG))],
    ],
  },
  6: {
    form: "stored by a Go node",
    fields: [
      ["status", quantity],
      ["logsBloom", bloom],
      ["transactionHash", hash],
      ["contractAddress", address],
      ["logs", (cursor) => listOf(cursor, (inside) => record(inside, PLACED_LOG))],
      ["gasUsed", quantity],
    ],
  },
};

/** Decodes a receipt or a list of receipts that fills `bytes`. Throws `DecodeError`. */
export function decodeReceiptJson(bytes: Uint8Array): unknown {
  return withOffset("receipt", 0, () => {
    const cursor = new RlpCursor(bytes);
    const peek = new RlpCursor(bytes);
    peek.enter();
    const result = peek.atList ? listOf(cursor, receipt) : receipt(cursor);
    if (cursor.done) return result;
    throw partError("receipt", 0, "bytes after it", cursor.at);
  });
}

function receipt(cursor: RlpCursor): object {
  const count = itemCount(cursor);
  const known = FORMS[count];
  if (known === undefined)
    throw partError("receipt", cursor.at, `${count} fields, where a receipt has 4, 5 or 6`);
  const fields = record(cursor, known.fields);
  const code = Number(fields["status"]);
  return { form: known.form, ...fields, ...(code === 1 ? {} : { txError: STATUS_TEXTS.get(code) ?? null }) };
}

function itemCount({ bytes, at, end }: RlpCursor): number {
  const peek = new RlpCursor(bytes, at, end);
  peek.enter();
  let count = 0;
  for (; !peek.done; count++) peek.skip();
  return count;
}

function record(cursor: RlpCursor, fields: Fields): Readonly<Record<string, unknown>> {
  const end = cursor.enter();
  const found = Object.fromEntries(fields.map(([name, read]) => [name, read(cursor)]));
  cursor.leave(end);
  return found;
}

function listOf<T>(cursor: RlpCursor, read: (cursor: RlpCursor) => T): T[] {
  const end = cursor.enter();
  const items: T[] = [];
  while (!cursor.done) items.push(read(cursor));
  cursor.leave(end);
  return items;
}

function optionalAddress(cursor: RlpCursor): string | null {
  const found = cursor.optionalFixed(20);
  return found === undefined ? null : toHex(found);
}
