/** Tests of the stakes by block. */
import { describe, expect, test } from "@jest/globals";
import { toHex } from "../../../node/bytes/hex.ts";
import { fixedBytes } from "../../../node/bytes/integer.ts";
import { encodeRlp } from "../../../node/bytes/rlp.ts";
import { type ChainConfig, parseChainConfig } from "../../../node/config/chain-config.ts";
import type { ContractReader } from "../../../node/governance/contract-reader.ts";
import { GovernanceError } from "../../../node/governance/error.ts";
import { openStakes } from "../../../node/governance/stakes.ts";
import { noStaking, stakersByReward, stakesOf, stakingSource } from "../../../node/governance/staking.ts";
import { decodeStaking, encodeStaking, readStaking } from "../../../node/governance/staking-contracts.ts";
import { ADDRESS_BOOK, contractParameters, REGISTRY } from "../../../node/governance/system-contracts.ts";
import { StateError } from "../../../node/state/error.ts";
import { createMemoryStore } from "../../../node/store/memory-store.ts";
import {
  type AbiValue,
  abiAnswer,
  addressWord,
  anAddressBook,
  aReader,
  type FakeContract,
} from "../../support/contracts.ts";
import { randomBytes, seededRandom } from "../../support/random.ts";

const COIN = 10n ** 18n;
const address = (number: number): Uint8Array => fixedBytes(number, 20);
const [kif, kef, pools, token, kpf] = [91, 92, 93, 94, 95].map(address) as [
  Uint8Array,
  Uint8Array,
  Uint8Array,
  Uint8Array,
  Uint8Array,
];

const node = (number: number, reward = number + 20): [number, Uint8Array][] => [
  [0, address(number)],
  [1, address(number + 10)],
  [2, address(reward)],
];
const funds: [number, Uint8Array][] = [
  [3, kif],
  [4, kef],
];
const balances = [1, 2, 3].map((number) => [address(number + 10), BigInt(number) * COIN + 1n] as const);

const registry: FakeContract = {
  address: REGISTRY,
  answers: [
    { call: ["getActiveAddr(string)", "CLRegistry"], answer: abiAnswer(addressWord(pools)) },
    { call: ["getActiveAddr(string)", "WrappedKaia"], answer: abiAnswer(addressWord(token)) },
  ],
};
const words = (...values: readonly Uint8Array[]): AbiValue => ({ list: values.map(addressWord) });
const poolRegistry: FakeContract = {
  address: pools,
  answers: [
    {
      call: ["getAllCLs()"],
      answer: abiAnswer(words(address(2)), { list: [7n] }, words(address(70)), words(address(71))),
    },
  ],
};
const wrapped: FakeContract = {
  address: token,
  answers: [{ call: ["balanceOf(address)", 70n], answer: abiAnswer(9n * COIN - 1n) }],
};

describe("stakes are read from the address book", () => {
  test("whole coins by node, nodes of one reward address together", () => {
    const entries = [...node(1), ...node(2), ...node(3, 21), ...funds];
    const info = readStaking(aReader([anAddressBook(entries)], { balances }), 5, true);
    expect(info.nodes.map(({ amount }) => amount)).toEqual([1n, 2n, 3n]);
    expect([info.source, info.kif, info.kef]).toEqual([5, kif, kef]);
    expect(stakersByReward(info).map(({ amount, nodes }) => [amount, nodes.length])).toEqual([
      [4n, 2],
      [2n, 1],
    ]);
    expect(stakesOf([3, 1, 2, 9].map(address), info)).toEqual([4n, 4n, 2n, 0n]);
  });

  test("with what lies in pools of liquidity, once they count", () => {
    const contracts = [anAddressBook([...node(1), ...node(2), ...funds]), registry, poolRegistry, wrapped];
    const info = readStaking(aReader(contracts, { balances }), 5, true);
    expect(info.pools).toEqual([{ node: address(2), pool: address(70), amount: 8n }]);
    expect(stakersByReward(info).map(({ pool }) => pool?.amount)).toEqual([undefined, 8n]);
    expect(readStaking(aReader(contracts, { balances }), 5, false).pools).toEqual([]);
  });

  test.each<[string, readonly FakeContract[]]>([
    ["there is none", []],
    ["it is not active yet", [anAddressBook([])]],
    ["a fund is missing", [anAddressBook([...node(1), ...node(2), funds[0] ?? [3, kif]])]],
    ["an entry is missing", [anAddressBook([...node(1).slice(0, 2), ...funds])]],
    [
      "entries are of other kinds",
      [anAddressBook([...node(1).slice(0, 2), ...node(2).slice(0, 1), ...funds])],
    ],
  ])("nobody has any when %s", (_what, contracts) => {
    expect(readStaking(aReader(contracts, { balances }), 5, true)).toEqual(noStaking(5));
  });

  test("funds alone are funds without stakers", () => {
    const info = readStaking(aReader([anAddressBook(funds)]), 5, false);
    expect(info).toEqual({ ...noStaking(5), kif, kef });
  });

  test("the spare address is the third fund, also without stakers", () => {
    const info = readStaking(aReader([anAddressBook(funds, kpf)]), 5, false);
    expect(info).toEqual({ ...noStaking(5), kif, kef, kpf });
    expect(readStaking(aReader([anAddressBook([], kpf)]), 5, false)).toEqual(noStaking(5));
  });

  const book = anAddressBook([...node(1), ...funds]);
  test.each<[string, readonly FakeContract[]]>([
    ["an unknown kind of entry", [anAddressBook([...node(1), ...funds, [5, kef]])]],
    ["no answer", [{ address: ADDRESS_BOOK, answers: [] }]],
    ["no spare address", [{ ...book, answers: book.answers.slice(0, 1) }]],
    ["an answer cut short", [cut(anAddressBook([...node(1), ...funds]))]],
    ["a registry that fails", [anAddressBook([...node(1), ...funds]), { ...registry, answers: [] }]],
  ])("%s is an error", (_what, contracts) => {
    expect(() => readStaking(aReader(contracts, { balances }), 5, true)).toThrow(GovernanceError);
  });
});

function cut({ answers, ...rest }: FakeContract): FakeContract {
  return { ...rest, answers: answers.map(({ call, answer }) => ({ call, answer: answer?.subarray(0, -1) })) };
}

test("arbitrary results of an address book decode or throw `GovernanceError`", () => {
  const random = seededRandom(3);
  const good = anAddressBook([...node(1), ...node(2), ...funds]).answers[0]?.answer ?? new Uint8Array(0);
  for (let i = 0; i < 3_000; i++) {
    const answer = i % 2 === 0 ? Uint8Array.from(good) : randomBytes(random, i % 700);
    for (let change = 0; change < i % 4; change++)
      answer[Math.floor(random() * answer.length)] = random() * 256;
    const book = anAddressBook([]);
    const [, spare] = book.answers;
    const answers = [
      { call: ["getAllAddress()"] as [string], answer },
      ...(spare === undefined ? [] : [spare]),
    ];
    try {
      readStaking(aReader([{ ...book, answers }], { balances }), 5, true);
    } catch (error) {
      expect(error).toBeInstanceOf(GovernanceError);
    }
  }
});

test("stakes are read from the end of the interval before the last, and from the parent since Kaia", () => {
  const numbers = [0, 1, 2_000, 2_001, 2_999, 3_000, 3_001];
  expect(numbers.map((number) => stakingSource(number, { newest: false, interval: 1_000 }))).toEqual([
    0, 0, 0, 1_000, 1_000, 1_000, 2_000,
  ]);
  expect([0, 1, 3_456].map((number) => stakingSource(number, { newest: true, interval: 1_000 }))).toEqual([
    0, 0, 3_455,
  ]);
});

function configOf(policy: number): ChainConfig {
  return parseChainConfig({
    chainId: 1,
    kaiaCompatibleBlock: 100,
    istanbul: { epoch: 10, policy, sub: 4 },
    governance: {
      reward: { mintingAmount: 0, minimumStake: 0, stakingUpdateInterval: 10, proposerUpdateInterval: 10 },
    },
  });
}

describe("stakes of a chain", () => {
  const config = configOf(2);

  /** A chain that knows the states of its last five blocks; each state's stakes are the block's number. */
  function aChain(installed: number) {
    const store = createMemoryStore();
    let tip = 0;
    const contracts = (number: number): ContractReader => {
      if (number < tip - 5 || number > tip) throw new StateError("state-missing", `no state ${number}`);
      if (number < installed) return aReader([]);
      return aReader([anAddressBook([...node(1), ...funds])], {
        balances: [[address(11), BigInt(number) * COIN]],
      });
    };
    const open = () => openStakes({ config, rows: store, contracts });
    return {
      open,
      accept: (number: number, stakes = open()) => {
        const batch = store.createBatch();
        stakes.accept(number, batch);
        void store.write(batch, { sync: false });
        tip = number;
      },
    };
  }

  test("are stored where blocks far ahead use them, also after a restart", () => {
    const chain = aChain(0);
    for (let number = 1; number <= 99; number++) {
      const info = chain.open().at(number);
      expect(info.source).toBe(stakingSource(number, { newest: false, interval: 10 }));
      expect(info.nodes.map(({ amount }) => amount)).toEqual([BigInt(info.source)]);
      chain.accept(number);
    }
    expect(chain.open().at(100).nodes[0]?.amount).toBe(99n);
  });

  test("are empty where there were none to store", () => {
    const chain = aChain(30);
    for (let number = 1; number <= 40; number++) chain.accept(number);
    expect(chain.open().at(38)).toEqual(noStaking(20));
    for (let number = 41; number <= 45; number++) chain.accept(number);
    expect(chain.open().at(41).nodes[0]?.amount).toBe(30n);
  });

  test("of an invalid address book stop only a chain under the weighted policy", () => {
    const bad = { address: ADDRESS_BOOK, answers: [] };
    const accept = (policy: number) => () => {
      const rows = createMemoryStore();
      const stakes = openStakes({ config: configOf(policy), rows, contracts: () => aReader([bad]) });
      stakes.accept(11, rows.createBatch());
    };
    expect(accept(2)).toThrow(GovernanceError);
    expect(accept(0)).not.toThrow();
  });

  test("of a pruned state are an error since Kaia", () => {
    const chain = aChain(0);
    for (let number = 1; number <= 120; number++) chain.accept(number);
    expect(() => chain.open().at(105)).toThrow(StateError);
  });
});

test("a row of stakes round-trips, and one of an earlier version has no third fund", () => {
  const contracts = [anAddressBook([...node(1), ...node(2), ...funds], kpf), registry, poolRegistry, wrapped];
  for (const info of [readStaking(aReader(contracts, { balances }), 7, true), noStaking(7)]) {
    expect(decodeStaking(7, encodeStaking(info))).toEqual(info);
  }
  expect(decodeStaking(7, encodeRlp([[], kef, kif, []]))).toEqual({ ...noStaking(7), kef, kif });
});

test("the governance contract sets valid parameters, and nothing with an invalid result", () => {
  const contract = address(50);
  const asked = (answer: Uint8Array | undefined) =>
    contractParameters(
      aReader([{ address: contract, answers: [{ call: ["getAllParamsAt(uint256)", 9n], answer }] }]),
      contract,
      9,
    );
  const names = ["governance.unitprice", "reward.ratio", "no.such", "istanbul.epoch", "kip71.gastarget"];
  const values = [
    Uint8Array.of(7),
    Buffer.from("1/2/3"),
    Uint8Array.of(1),
    Uint8Array.of(30),
    new Uint8Array(9),
  ];
  const answer = abiAnswer(
    { list: names.map((name) => Buffer.from(name)) },
    { list: values.map((value) => Uint8Array.from(value)) },
  );
  expect([...asked(answer)]).toEqual([
    ["governance.unitprice", 7n],
    ["istanbul.epoch", 30n],
  ]);
  expect(asked(undefined).size).toBe(0);
  expect(asked(answer.subarray(0, 200)).size).toBe(0);
  expect(toHex(contract)).toHaveLength(42);
});
