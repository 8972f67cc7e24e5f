/** Tests of the pool's rules for single transaction types. */

import { expect, test } from "@jest/globals";
import { FAIL_KEY } from "../../../node/model/account-key.ts";
import { transactionTypes } from "../../../node/model/transaction-table.ts";
import { admit, stillValid } from "../../../node/txpool/admission.ts";
import { type NextBlockRules, nextBlockRules } from "../../../node/txpool/next-block-rules.ts";
import { DEFAULT_POOL_OPTIONS } from "../../../node/txpool/options.ts";
import { aMultiSig } from "../../support/account-keys.ts";
import { addressOf, aKey, aSent, type Sending } from "../../support/execution.ts";
import { FakeChain } from "../../support/pool-chain.ts";
import { nothingPooled } from "../../support/pool-entries.ts";

const PRICE = { gasFeeCap: 25n, gasTipCap: 25n };
const BLOB = 0x7803;
const rules = { acceptedTypes: new Set(transactionTypes.map(({ code }) => code)) };

function aChain(): FakeChain {
  return new FakeChain({ rules });
}

function terms(chain = aChain()): NextBlockRules {
  return nextBlockRules(chain, DEFAULT_POOL_OPTIONS);
}

function outcome(sending: Sending, chain = aChain()): string {
  try {
    admit(aSent({ ...PRICE, ...sending }), terms(chain), nothingPooled);
    return "accepted";
  } catch (error) {
    return (error as Error).message;
  }
}

/** A transaction of the kind that nothing is wrong with. */
function whole(code: number): Sending {
  const authorization = {
    chainId: 0n,
    address: addressOf(9),
    nonce: 0n,
    yParity: 0,
    r: Uint8Array.of(1),
    s: Uint8Array.of(1),
  };
  const deploys = code >= 0x28 && code <= 0x2a;
  const hasPayer = code > 0 && code < 0x7800 && code % 8 !== 0;
  return {
    code,
    ...(deploys && { to: undefined }),
    ...(hasPayer && { paidBy: [2] }),
    fields: {
      ...(code % 8 === 2 && { feeRatio: 30 }),
      ...(code >= 0x20 && code <= 0x22 && { key: Uint8Array.of(1, 0xc0) }),
      ...(code === 0x7804 && { authorizationList: [authorization] }),
    },
  };
}

const kinds = transactionTypes.filter(({ code }) => code !== BLOB && (code < 0x30 || code > 0x32));

test.each(kinds.map(({ name, code }) => [name, code]))("%s is admitted", (_name, code) => {
  expect(outcome(whole(Number(code)))).toBe("accepted");
});

test("blobs come with their sidecar, and a contract execution needs a contract", () => {
  const blobs = { fields: { blobVersionedHashes: [aKey(1)], maxFeePerBlobGas: 1n } };
  expect(outcome({ code: BLOB, ...blobs })).toBe("missing sidecar in blob transaction");
  expect(outcome({ code: 0x30 })).toBe("recipient must be an EOA with code or an SCA");
});

test("a kind before its fork is refused as the Go node refuses it", () => {
  expect(outcome(whole(0x7804), new FakeChain())).toBe("transaction type not supported");
});

test.each<[string, Sending, string]>([
  [
    "the fee payer's signature",
    { code: 0x09, paidBy: [3], fields: { feePayer: addressOf(2) } },
    "invalid fee payer: invalid account key",
  ],
  [
    "no share at all",
    { code: 0x0a, paidBy: [2], fields: { feeRatio: 0 } },
    "fee ratio is out of range [1, 99]",
  ],
  [
    "the whole as a share",
    { code: 0x0a, paidBy: [2], fields: { feeRatio: 100 } },
    "fee ratio is out of range [1, 99]",
  ],
  [
    "an empty list of authorizations",
    { code: 0x7804, fields: { authorizationList: [] } },
    "set code tx must have at least one authorization tuple",
  ],
])("%s is refused", (_what, sending, message) => {
  expect(outcome(sending)).toBe(message);
});

test("the gas of more than one signature counts", () => {
  const chain = aChain();
  const signers = { address: addressOf(1), key: aKey(1) };
  chain.setAccount(signers, {
    key: aMultiSig(2n, [
      [1, 1n],
      [2, 1n],
    ]),
  });
  const transfer = { code: 0x08, by: [1, 2], fields: { from: addressOf(1) } };
  expect(outcome({ ...transfer, gas: 35_999n }, chain)).toBe("intrinsic gas too low");
  expect(outcome({ ...transfer, gas: 36_000n }, chain)).toBe("accepted");
});

test("a transaction is lost when the key that signed it no longer counts", () => {
  const tx = aSent({ ...PRICE, code: 0x08 });
  expect(stillValid(tx, addressOf(1), terms())).toBe(true);
  const chain = aChain();
  chain.setAccount({ address: addressOf(1), key: aKey(1) }, { key: FAIL_KEY });
  expect(stillValid(tx, addressOf(1), terms(chain))).toBe(false);
});

test("a value transfer is lost when its recipient has got code since", () => {
  const tx = aSent({ ...PRICE, code: 0x08, to: addressOf(7) });
  const chain = aChain();
  expect(stillValid(tx, addressOf(1), terms(chain))).toBe(true);
  chain.setAccount({ address: addressOf(7), key: aKey(7) }, { codeHash: new Uint8Array(32).fill(1) });
  expect(stillValid(tx, addressOf(1), terms(chain))).toBe(false);
});
