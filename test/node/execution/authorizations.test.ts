/** Accounts that let another's code run as their own (EIP-7702, `blockchain/state_transition.go@v2.2.2`). */
import { beforeEach, expect, test } from "@jest/globals";
import { fromHex } from "../../../node/bytes/hex.ts";
import { executeTransaction } from "../../../node/execution/transaction.ts";
import type { Authorization } from "../../../node/model/transaction-type.ts";
import type { World } from "../../../node/state/world/world.ts";
import { aPublic } from "../../support/account-keys.ts";
import { signAuthorization } from "../../support/authorizations.ts";
import {
  aContext,
  addressOf,
  aKey,
  aSent,
  aWorld,
  CHAIN_ID,
  putContract,
  RICH,
} from "../../support/execution.ts";

const contract = addressOf(20);
const authority = addressOf(3);
const rules = {
  acceptedTypes: new Set([0x7804]),
  delegations: true,
  vmVersion: 1,
  inputGas: { zero: 4n, nonZero: 16n },
} as const;
let world: World;

beforeEach(async () => {
  world = await aWorld();
  putContract(world, contract, fromHex("0x00"));
});

function authorization(by: number, change: Partial<Authorization> = {}): Authorization {
  const terms = { chainId: CHAIN_ID, address: contract, nonce: 0n, ...change };
  return { ...signAuthorization(terms, aKey(by)), ...change };
}

function send(...authorizationList: Authorization[]): bigint {
  const nonce = world.nonce(addressOf(1));
  const tx = aSent({ code: 0x7804, nonce, fields: { authorizationList } });
  const { receipt } = executeTransaction(world, tx, aContext(rules));
  expect(receipt.status).toBe(1);
  return receipt.gasUsed;
}

test("an account delegates to the other's code, its nonce rises, and part of the gas is refunded", () => {
  expect(send(authorization(3))).toBe(46_000n - 12_500n);
  expect(world.code(authority)).toEqual(Uint8Array.of(0xef, 0x01, 0x00, ...contract));
  expect(world.account(authority)).toMatchObject({ kind: "eoa", nonce: 1n, balance: RICH, codeInfo: 0x10 });
});

test("the zero address removes the delegation", () => {
  send(authorization(3));
  send(authorization(3, { address: new Uint8Array(20), nonce: 1n }));
  expect(world.code(authority)).toHaveLength(0);
  expect(world.account(authority)).toMatchObject({ nonce: 2n, codeInfo: 0 });
});

test("a missing account is created without a refund", () => {
  expect(send(authorization(7))).toBe(46_000n);
  expect(world.account(addressOf(7))).toMatchObject({ kind: "eoa", nonce: 1n });
});

test("the sender's own nonce rises before its authorization is checked", () => {
  send(authorization(1, { nonce: 1n }));
  expect(world.nonce(addressOf(1))).toBe(2n);
});

test.each<[string, () => Authorization]>([
  ["of another chain", () => authorization(3, { chainId: 5n })],
  ["with another nonce", () => authorization(3, { nonce: 1n })],
  ["with the last nonce", () => authorization(3, { nonce: 2n ** 64n - 1n })],
  ["signed by nobody", () => authorization(3, { r: new Uint8Array(32).fill(255) })],
  [
    "of an account with another key",
    () => {
      const account = world.account(authority);
      if (account !== undefined) world.setAccount(authority, { ...account, key: aPublic(3) });
      return authorization(3);
    },
  ],
])("an authorization %s is skipped", (_what, make) => {
  expect(send(make())).toBe(46_000n);
  expect(world.code(authority)).toHaveLength(0);
});

test("an authorization for chain 0 is valid here, and the later of two wins", () => {
  const other = addressOf(21);
  send(authorization(3, { chainId: 0n }), authorization(3, { nonce: 1n, address: other }));
  expect(world.code(authority).subarray(3)).toEqual(other);
});

test("an account with its own code is skipped", () => {
  putContract(world, authority, fromHex("0x00"));
  expect(send(authorization(3, { nonce: 1n }))).toBe(46_000n);
  expect(world.code(authority)).toEqual(Uint8Array.of(0));
});
