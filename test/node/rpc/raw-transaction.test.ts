/** Tests of the errors of raw transactions. */
import { expect, test } from "@jest/globals";
import { concatBytes } from "../../../node/bytes/compare.ts";
import { fromHex } from "../../../node/bytes/hex.ts";
import { decodeChainTransaction, decodeEthereumTransaction } from "../../../node/calls/raw-transaction.ts";
import { transactionTypes } from "../../../node/model/transaction-table.ts";

const few = (name: string) => `rlp: too few elements for types.TxInternalData${name}`;
const noList = (name: string) => `rlp: expected input list for types.TxInternalData${name}`;
const UNDEFINED = "undefined tx type";
const CUT = "rlp: value size exceeds available input length";

test.each([
  ["0x", "EOF", "Empty input"],
  ["0x00", noList("Legacy"), noList("Legacy")],
  [`0x${"00".repeat(19)}`, noList("Legacy"), noList("Legacy")],
  ["0xc0", few("Legacy"), few("Legacy")],
  ["0x08", "EOF", UNDEFINED],
  ["0x08c0", few("ValueTransfer"), UNDEFINED],
  ["0x7801", "EOF", UNDEFINED],
  ["0x78", "EOF", UNDEFINED],
  ["0x7801c0", few("EthereumAccessList"), UNDEFINED],
  ["0x01c0", UNDEFINED, few("EthereumAccessList")],
  ["0x02c0", UNDEFINED, few("EthereumDynamicFee")],
  ["0xff", CUT, CUT],
  ["0x08ff", CUT, UNDEFINED],
  [`0x${"11".repeat(32)}`, noList("FeeDelegatedValueTransferMemo"), UNDEFINED],
  ["0x18c0", UNDEFINED, UNDEFINED],
  ["0x01f8", UNDEFINED, CUT],
  ["0x0178", UNDEFINED, noList("EthereumAccessList")],
  ["0x02", UNDEFINED, "EOF"],
  ["0x03c0", UNDEFINED, "unexpected EOF"],
  ["0x7803c0", "unexpected EOF", UNDEFINED],
  ["0x0334f881", UNDEFINED, "rlp: expected List"],
  ["0x80", "EOF", "EOF"],
  [`0x8f${"11".repeat(20)}`, noList("Legacy"), noList("Legacy")],
  ["0x21bdf8818207e3", CUT, UNDEFINED],
  ["0x04b9f8818207e3", UNDEFINED, CUT],
  ["0x2002f881", "rlp: expected input list for types.txInternalDataAccountUpdateSerializable", UNDEFINED],
  ["0x29c4f8818207", "rlp: element is larger than containing list", UNDEFINED],
])("%s is refused: %s in the chain's encoding, %s in Ethereum's", (raw, chain, ethereum) => {
  expect(() => decodeChainTransaction(fromHex(raw))).toThrow(chain);
  expect(() => decodeEthereumTransaction(fromHex(raw))).toThrow(ethereum);
});

const short = (path: string) =>
  `rlp: input string too short for common.Address, decoding into (types.Transaction)(types.TxInternalDataSerializer)${path}`;
/** A signed transfer with a fee cap, of which other types find integers where they have an address. */
const FIELDS =
  "f8708207e38277778505d21dba00850ba43b740082800094f77e71cf745e14129a344bcfb7e28240a5351beb0180c001a0d96bcaf436b339d19f889ae088964d7d27adcf537b54ad336ce16826cf939d35a053a0884f927239e390586e3ca8300f0ca0676ef752e76e9a967fbba4ab60bc32";

test.each([
  ["0x80", short("(types.TxInternalDataLegacy).Recipient")],
  ["0x08", short("(types.TxInternalDataValueTransfer).Recipient")],
  ["0x20", short("(types.TxInternalDataAccountUpdate)(types.txInternalDataAccountUpdateSerializable).From")],
  ["0x38", short("(types.TxInternalDataCancel).From")],
  ["0x7801", short("(types.TxInternalDataEthereumAccessList).Recipient")],
  ["0x00", noList("Legacy")],
  ["0x78", "rlp: expected input string or byte for types.TxType"],
  ["0x81", UNDEFINED],
  ["0x82", UNDEFINED],
])("%s before the fields of an Ethereum transaction is refused in the Go node's words", (prefix, message) => {
  expect(() => decodeChainTransaction(fromHex(`${prefix}${FIELDS}`))).toThrow(message);
});

test("surplus items and bytes behind a transaction are refused in the Go node's words", () => {
  const items = fromHex(`0x${FIELDS}`).subarray(2);
  const surplus = concatBytes(Uint8Array.of(0x02, 0xf8, items.length + 1), items, Uint8Array.of(0x80));
  expect(() => decodeEthereumTransaction(surplus)).toThrow(
    "rlp: input list has too many elements for types.TxInternalDataEthereumDynamicFee",
  );
  const behind = concatBytes(Uint8Array.of(0x02), fromHex(`0x${FIELDS}`), Uint8Array.of(0));
  expect(() => decodeEthereumTransaction(behind)).toThrow("rlp: input contains more than one value");
});

test("the error for an empty list names the expected type", () => {
  for (const { name, prefix } of transactionTypes) {
    const stem = name.slice("TxType".length).replace("LegacyTransaction", "Legacy");
    const isUpdate = stem.includes("AccountUpdate");
    const message = isUpdate ? `types.txInternalData${stem}Serializable` : few(stem);
    const isBlob = stem === "EthereumBlob";
    expect(() => decodeChainTransaction(concatBytes(prefix, Uint8Array.of(0xc0)))).toThrow(
      isBlob ? "unexpected EOF" : message,
    );
  }
});
