import { expect, test } from "@jest/globals";
import { parseChainConfig } from "../../../node/config/chain-config.ts";
import { forks } from "../../../node/config/forks.ts";
import { rulesAt } from "../../../node/config/rules.ts";
import { sign } from "../../../node/crypto/secp256k1.ts";
import {
  floorGas,
  intrinsicGas,
  signTransaction,
  type Transaction,
} from "../../../node/model/transaction.ts";
import type { AccessListEntry } from "../../../node/model/transaction-type.ts";

const KEY = new Uint8Array(32).fill(7);
/** One zero byte and three others. */
const INPUT = Uint8Array.of(0, 1, 2, 3);

function aTransaction(
  code: number,
  change: { create?: boolean; input?: Uint8Array; accessList?: AccessListEntry[] },
): Transaction {
  const { create = false, input = INPUT, accessList = [] } = change;
  const to = create ? undefined : new Uint8Array(20).fill(1);
  const content = { code, nonce: 0n, gas: 1n, gasFeeCap: 1n, gasTipCap: 1n, value: 0n, to, input };
  return signTransaction({ ...content, fields: { accessList } }, 1n, (digest) => sign(digest, KEY));
}

/** The rules of a chain whose newest fork is the one with this key. */
function rulesOf(newest: string | undefined) {
  const keys = forks.filter(({ ordered }) => ordered).map(({ configKey }) => configKey);
  const active = keys.slice(0, newest === undefined ? 0 : keys.indexOf(newest) + 1);
  const config = { chainId: 1, ...Object.fromEntries(active.map((key) => [key, 0])) };
  return rulesAt(parseChainConfig(config), 0);
}

test.each([
  [undefined, 21_000n + 4n + 3n * 68n, 21_400n],
  ["istanbulCompatibleBlock", 21_400n, 21_400n],
  ["kaiaCompatibleBlock", 21_400n, 21_400n],
  ["pragueCompatibleBlock", 21_000n + 4n + 3n * 16n, 21_000n + 4n + 3n * 16n],
])(
  "with %s as the newest fork, four bytes of input cost %i in legacy and %i in typed transactions",
  (fork, plain, typed) => {
    expect(intrinsicGas(aTransaction(0, {}), rulesOf(fork))).toBe(plain);
    expect(intrinsicGas(aTransaction(0x7801, {}), rulesOf(fork))).toBe(typed);
    expect(intrinsicGas(aTransaction(0x7802, {}), rulesOf(fork))).toBe(typed);
  },
);

test("creating a contract costs 53000, and 2 per begun word of code from Shanghai on", () => {
  const create = aTransaction(0, { create: true, input: new Uint8Array(33).fill(1) });
  expect(intrinsicGas(create, rulesOf("koreCompatibleBlock"))).toBe(53_000n + 3_300n);
  expect(intrinsicGas(create, rulesOf("shanghaiCompatibleBlock"))).toBe(53_000n + 3_300n + 4n);
});

test("an access list costs 2400 an address and 1900 a slot on every fork", () => {
  const accessList = [
    { address: new Uint8Array(20), storageKeys: [new Uint8Array(32), new Uint8Array(32)] },
    { address: new Uint8Array(20), storageKeys: [] },
  ];
  const tx = aTransaction(0x7802, { input: new Uint8Array(0), accessList });
  expect(intrinsicGas(tx, rulesOf("ethTxTypeCompatibleBlock"))).toBe(21_000n + 2n * 2_400n + 2n * 1_900n);
  expect(intrinsicGas(tx, rulesOf("pragueCompatibleBlock"))).toBe(21_000n + 2n * 2_400n + 2n * 1_900n);
});

test("there is a floor of 10 per token of input from Prague on", () => {
  for (const code of [0, 0x7801, 0x7802]) {
    expect(floorGas(aTransaction(code, {}), rulesOf("kaiaCompatibleBlock"))).toBe(0n);
    expect(floorGas(aTransaction(code, {}), rulesOf("pragueCompatibleBlock"))).toBe(
      21_000n + 10n * (1n + 3n * 4n),
    );
    expect(floorGas(aTransaction(code, { create: true }), rulesOf("pragueCompatibleBlock"))).toBe(21_130n);
  }
});
