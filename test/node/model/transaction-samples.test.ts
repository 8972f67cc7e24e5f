/** Tests of a sample of every transaction type. */
import { expect, test } from "@jest/globals";
import { fromHex, toHex } from "../../../node/bytes/hex.ts";
import { RlpCursor } from "../../../node/bytes/rlp-cursor.ts";
import { keccak256 } from "../../../node/crypto/keccak.ts";
import { addressOfPublicKey, sign } from "../../../node/crypto/secp256k1.ts";
import { decodeTransaction, senderOf, signTransaction } from "../../../node/model/transaction.ts";
import { transactionFields, transactionJson } from "../../../node/model/transaction-json.ts";
import { payerKeys, senderKeys, signAsFeePayer } from "../../../node/model/transaction-signers.ts";
import { transactionType, transactionTypes } from "../../../node/model/transaction-table.ts";
import { type TransactionSample, transactionSamples } from "./samples.ts";

const samples = transactionSamples();
/** Made to show an encoding: their signatures are nobody's, so they are no transactions. */
const unsigned = samples.filter(({ name, sender }) => sender === null && name !== "00_Legacy");
const real = samples.filter((one) => !unsigned.includes(one));
/** Their JSON was written by hand for a test: the order of its members says nothing. */
const UNORDERED = /^0[234]_/;

/** Signs with a key. */
const by =
  (key = "0x") =>
  (digest: Uint8Array) =>
    sign(digest, fromHex(key));

/** The row's reading of a sample, whatever its signatures. */
function bodyOf({ raw, typeInt }: TransactionSample) {
  const type = transactionType(typeInt);
  const body = type.read(new RlpCursor(fromHex(raw), type.prefix.length), 0);
  return { type, body };
}

test("there is a sample of every kind", () => {
  expect(new Set(samples.map(({ typeInt }) => typeInt))).toEqual(
    new Set(transactionTypes.map(({ code }) => code)),
  );
  expect(unsigned.map(({ name }) => name.slice(0, 2))).toEqual(["02", "03", "48", "49", "4a"]);
});

test.each(samples.map((sample) => [sample.name, sample] as const))("%s goes both ways", (_name, sample) => {
  const { type, body } = bodyOf(sample);
  expect(type.name).toBe(sample.type);
  expect(toHex(type.encode(body, body.signatures))).toBe(sample.raw);
  if (sample.sigRLP !== undefined && sample.name !== "00_Legacy") {
    const chained = { ...body, chainId: BigInt(sample.chainId ?? 0) };
    expect(toHex(type.digest(chained))).toBe(toHex(keccak256(fromHex(sample.sigRLP))));
  }
  if (sample.feePayerSigRLP !== undefined) {
    const digest = type.payerDigest?.(body, BigInt(sample.chainId ?? 0));
    expect(toHex(digest ?? new Uint8Array(0))).toBe(toHex(keccak256(fromHex(sample.feePayerSigRLP))));
  }
  if (sample.senderTxHashRLP !== undefined) {
    expect(toHex(type.senderHash?.(body) ?? new Uint8Array(0))).toBe(sample.senderTxHash);
  }
});

test.each(unsigned.map(({ name, raw }) => [name, raw] as const))(
  "%s is refused for its signature",
  (_name, raw) => {
    expect(() => decodeTransaction(fromHex(raw))).toThrow(
      expect.objectContaining({ code: "bad-signature", message: "invalid transaction v, r, s values" }),
    );
  },
);

test.each(real.map((sample) => [sample.name, sample] as const))(
  "%s has its hashes and signers",
  (_name, sample) => {
    const tx = decodeTransaction(fromHex(sample.raw));
    const chainId = BigInt(sample.chainId ?? 0);
    expect(toHex(tx.raw)).toBe(sample.raw);
    expect(toHex(tx.hash)).toBe(sample.txHash);
    expect(toHex(tx.senderTxHash)).toBe(sample.senderTxHash);
    if (sample.sender) {
      const signers = senderKeys(tx, chainId).map((key) => toHex(addressOfPublicKey(key)));
      expect(signers).toEqual([sample.sender]);
      expect(toHex(senderOf(tx, chainId))).toBe(tx.fields.from ? toHex(tx.fields.from) : sample.sender);
    }
    if (sample.feePayerSigner) {
      const signers = payerKeys(tx, chainId).map((key) => toHex(addressOfPublicKey(key)));
      expect(signers).toEqual([sample.feePayerSigner]);
    }
  },
);

test.each(samples.filter(({ txJson }) => txJson).map((sample) => [sample.name, sample] as const))(
  "%s has its JSON forms",
  (_name, sample) => {
    const { type, body } = bodyOf(sample);
    const tx = { ...body, type, hash: fromHex(sample.txHash ?? "0x"), senderTxHash: new Uint8Array(32) };
    const expected = { ...sample.txJson, hash: sample.txHash };
    if (UNORDERED.test(sample.name)) expect(transactionJson(tx)).toEqual(expected);
    else expect(JSON.stringify(transactionJson(tx))).toBe(JSON.stringify(expected));
    const { gasPrice, ...fields } = transactionFields(tx);
    const { gasPrice: own = gasPrice, ...shown } = sample.rpcJson ?? {};
    expect({ ...fields, gasPrice }).toEqual({ ...shown, gasPrice: own });
  },
);

test.each(samples.filter(({ senderKey }) => senderKey).map((sample) => [sample.name, sample] as const))(
  "%s is signed anew to the same bytes",
  (_name, sample) => {
    const [chainId, original] = [BigInt(sample.chainId ?? 0), decodeTransaction(fromHex(sample.raw))];
    const { payerSignatures: _, feePayer, ...fields } = original.fields;
    const draft = { ...original, code: sample.typeInt, fields };
    const signed = signTransaction(draft, chainId, by(sample.senderKey));
    const done =
      feePayer === undefined ? signed : signAsFeePayer(signed, { feePayer, chainId }, by(sample.feePayerKey));
    expect(toHex(done.raw)).toBe(sample.raw);
    expect(toHex(signed.senderTxHash)).toBe(sample.senderTxHash);
  },
);
