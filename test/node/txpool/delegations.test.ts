/** Tests of the limits for delegating accounts and authorities (EIP-7702). */
import { expect, test } from "@jest/globals";
import { sign } from "../../../node/crypto/secp256k1.ts";
import { signTransaction, type Transaction } from "../../../node/model/transaction.ts";
import { signAuthorization } from "../../support/authorizations.ts";
import { FakeChain } from "../../support/pool-chain.ts";
import { aPool, outcome } from "../../support/pool-open.ts";
import { aSigner, aTransaction, CHAIN_ID, type TestSigner } from "../../support/pool-transactions.ts";

const SET_CODE = 0x7804;
const PRICE = 25n;
const RULES = { baseFee: true, delegations: true, acceptedTypes: new Set([0x7801, 0x7802, SET_CODE]) };
const [sender, authority, third] = [aSigner(1), aSigner(2), aSigner(3)];

function authorizationOf({ key }: TestSigner) {
  return signAuthorization({ chainId: CHAIN_ID, address: new Uint8Array(20).fill(0xcc), nonce: 0n }, key);
}

function aSetCode(by: TestSigner, ...authorities: readonly TestSigner[]): Transaction {
  const caps = { gasFeeCap: PRICE, gasTipCap: 0n };
  const call = {
    nonce: 0n,
    gas: 200_000n,
    value: 0n,
    to: new Uint8Array(20).fill(9),
    input: new Uint8Array(0),
  };
  const fields = { authorizationList: authorities.map(authorizationOf) };
  return signTransaction({ code: SET_CODE, ...caps, ...call, fields }, CHAIN_ID, (digest) =>
    sign(digest, by.key),
  );
}

const aDelegatingPool = () => aPool({ chain: new FakeChain({ rules: RULES, baseFee: PRICE }) });
const from = (signer: TestSigner, nonce: number, price = PRICE) =>
  aTransaction({ from: signer, nonce, price });

test("who is about to lend its code has one transaction in the pool, which others may replace", async () => {
  await using world = await aDelegatingPool();
  const { pool, chain } = world;
  const setCode = aSetCode(sender, authority, authority);
  expect(outcome(pool, setCode)).toBe("accepted");
  expect(outcome(pool, from(authority, 1))).toBe("gapped-nonce tx from delegated accounts");
  expect(outcome(pool, from(authority, 0))).toBe("accepted");
  expect(outcome(pool, from(authority, 1))).toBe(
    "in-flight transaction limit reached for delegated accounts",
  );
  expect(outcome(pool, from(authority, 0, PRICE + 1n))).toBe("accepted");
  expect(outcome(pool, from(sender, 1))).toBe("accepted");

  chain.setAccount(sender, { nonce: 1n });
  chain.advance([setCode]);
  expect(outcome(pool, from(authority, 1))).toBe("accepted");
});

test("an authority that has more than one transaction in the pool is reserved", async () => {
  await using world = await aDelegatingPool();
  const { pool } = world;
  for (const nonce of [0, 1]) expect(outcome(pool, from(authority, nonce))).toBe("accepted");
  expect(outcome(pool, from(third, 0))).toBe("accepted");
  expect(outcome(pool, aSetCode(sender, third, authority))).toBe("authority already reserved");
  expect(outcome(pool, aSetCode(sender, third))).toBe("accepted");
});

test("an authority is free again only when the last transaction that names it has left", async () => {
  await using world = await aDelegatingPool();
  const { pool, chain } = world;
  const [one, two] = [aSetCode(sender, authority), aSetCode(third, authority)];
  for (const setCode of [one, two]) expect(outcome(pool, setCode)).toBe("accepted");
  expect(outcome(pool, from(authority, 0))).toBe("accepted");
  chain.setAccount(sender, { nonce: 1n });
  chain.advance([one]);
  expect(outcome(pool, from(authority, 1))).toContain("in-flight");
  chain.setAccount(third, { nonce: 1n });
  chain.advance([two]);
  expect(outcome(pool, from(authority, 1))).toBe("accepted");
});

test("an authorization that nobody signed reserves nobody", async () => {
  await using world = await aDelegatingPool();
  const nobody = { ...authorizationOf(authority), r: Uint8Array.of(), s: Uint8Array.of(1) };
  const caps = { gasFeeCap: PRICE, gasTipCap: 0n };
  const call = { nonce: 0n, gas: 200_000n, value: 0n, to: authority.address, input: new Uint8Array(0) };
  const draft = { code: SET_CODE, ...caps, ...call, fields: { authorizationList: [nobody] } };
  expect(
    outcome(
      world.pool,
      signTransaction(draft, CHAIN_ID, (digest) => sign(digest, sender.key)),
    ),
  ).toBe("accepted");
  for (const nonce of [0, 1]) expect(outcome(world.pool, from(authority, nonce))).toBe("accepted");
});
