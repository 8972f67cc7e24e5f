/**
 * EIP-7702 in the arguments of RPC methods: no method drops an `authorizationList`. The figures and texts are answers of
 * a Go node (Kaia v2.2.2) with the same accounts.
 */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { Transaction as EthersTransaction } from "ethers";
import { privateKeyToAccount } from "viem/accounts";
import { callArgsJson, ethArgs } from "../../../node/calls/arguments/transaction-args.ts";
import { chainReading } from "../../../node/calls/chain-reading.ts";
import { parseGenesis } from "../../../node/config/genesis.ts";
import { callMethods } from "../../../node/rpc/calls.ts";
import { askRow } from "../../support/ask-row.ts";
import { aChain, type TestChain } from "../../support/chain.ts";
import { assemble } from "../../support/evm.ts";
import { makerGenesis } from "../../support/transfer-chain.ts";
import { aSigningNode, refusalOf, type SigningNode } from "./signing-fixture.ts";

const CHAIN_ID = 9001;
const at = (name: number): string => `0x${name.toString(16).padStart(40, "0")}`;
const word = (value: number): string => `0x${value.toString(16).padStart(64, "0")}`;
const quantity = (value: number | bigint | string | undefined): string =>
  `0x${BigInt(value ?? 0).toString(16)}`;

const codeOf = (source: string): string => `0x${Buffer.from(assemble(source)).toString("hex")}`;

/** Reads slot 7 and returns 42. */
const ANSWER = at(0x1002);
/** Returns the price of gas. */
const PRICE = at(0x1001);
const sender = privateKeyToAccount(`0x${"11".repeat(32)}`);
const giver = privateKeyToAccount(`0x${"22".repeat(32)}`);
const from = sender.address.toLowerCase();
const to = giver.address.toLowerCase();

/** An authorization in the form of parameters. */
async function authorizationOf(account: typeof giver, { nonce = 0, chainId = CHAIN_ID, code = ANSWER } = {}) {
  const terms = { contractAddress: code as `0x${string}`, chainId, nonce };
  const { address, yParity, r, s } = await account.signAuthorization(terms);
  return {
    chainId: quantity(chainId),
    address,
    nonce: quantity(nonce),
    yParity: quantity(yParity),
    r: quantity(r),
    s: quantity(s),
  };
}

type SentAuthorization = Awaited<ReturnType<typeof authorizationOf>>;

let given: SentAuthorization;

beforeAll(async () => {
  given = await authorizationOf(giver);
});

describe("calls and estimates", () => {
  let chain: TestChain;
  let ask: (method: string, args: object, ...more: unknown[]) => Promise<unknown>;

  beforeAll(async () => {
    const alloc = {
      [PRICE]: { balance: "0x0", code: codeOf("GASPRICE 0 MSTORE 32 0 RETURN") },
      [ANSWER]: { balance: "0x0", code: codeOf("7 SLOAD POP 42 0 MSTORE 32 0 RETURN") },
      [from]: { balance: "0x3635c9adc5dea00000" },
    };
    const forks = "istanbul london ethTxType magma kore shanghai cancun kaia prague osaka".split(" ");
    const config = Object.fromEntries(forks.map((name) => [`${name}CompatibleBlock`, 0]));
    chain = await aChain(parseGenesis(makerGenesis(alloc, config)));
    const rows = callMethods({
      open: () => chainReading(chain.chain),
      limits: { upperGas: 500_000_000n, gasCap: 0n },
      timeoutMs: 5_000,
    });
    ask = (method, args, ...more) => askRow(rows, method, args, ...more);
  });
  afterAll(async () => chain[Symbol.asyncDispose]());

  test("eth_call runs the code of an authorization", async () => {
    expect(await ask("eth_call", { from, to }, "latest")).toBe("0x");
    expect(await ask("eth_call", { from, to, authorizationList: [given] }, "latest")).toBe(word(42));
    const own = await authorizationOf(sender, { nonce: 1 });
    expect(await ask("eth_call", { from, to: from, authorizationList: [own] }, "latest")).toBe(word(42));
  });

  test("eth_call pays the base fee for authorizations, whatever the fee caps", async () => {
    for (const offer of [{}, { gasPrice: "0xba43b7400" }, { maxFeePerGas: "0xba43b7400" }]) {
      const args = { from, to: PRICE, ...offer, authorizationList: [given] };
      expect(await ask("eth_call", args, "latest")).toBe(word(25_000_000_000));
    }
  });

  test("an invalid authorization is charged and has no effect", async () => {
    const strange = await authorizationOf(giver, { chainId: 5 });
    expect(await ask("eth_call", { from, to, authorizationList: [strange] }, "latest")).toBe("0x");
    expect(await ask("eth_estimateGas", { from, to, authorizationList: [strange] })).toBe(quantity(46_000));
  });

  test("eth_estimateGas counts 25,000 per authorization and runs its code", async () => {
    expect(await ask("eth_estimateGas", { from, to })).toBe(quantity(21_000));
    expect(await ask("eth_estimateGas", { from, to, authorizationList: [given] })).toBe(quantity(48_123));
    const own = await authorizationOf(sender, { nonce: 1 });
    expect(await ask("eth_estimateGas", { from, to, authorizationList: [given, own] })).toBe(
      quantity(73_123),
    );
    expect(await ask("eth_estimateGas", { from, to: PRICE, authorizationList: [given] })).toBe(
      quantity(46_017),
    );
  });

  test.each(["eth_call", "eth_estimateGas", "chain_createAccessList"])(
    "%s refuses a creation and an empty list",
    async (method) => {
      const more = method === "eth_estimateGas" ? [] : ["latest"];
      await expect(
        ask(method, { from, input: "0x00", authorizationList: [given] }, ...more),
      ).rejects.toMatchObject(refusalOf("SetCodeTx must have a non-nil recipient address"));
      await expect(ask(method, { from, to, authorizationList: [] }, ...more)).rejects.toMatchObject({
        message: expect.stringContaining(
          "err: EIP-7702 transaction with empty auth list (sender 0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A)",
        ),
      });
    },
  );

  test("an access list contains the slots of the delegating account", async () => {
    expect(await ask("chain_createAccessList", { from, to, authorizationList: [given] }, "latest")).toEqual({
      accessList: [{ address: to, storageKeys: [word(7)] }],
      gasUsed: quantity(21_123),
    });
    const args = { from, to: PRICE, authorizationList: [given] };
    expect(await ask("chain_createAccessList", args, "latest")).toMatchObject({ accessList: [] });
  });

  test("an access list is refused for more authorizations than the gas covers", async () => {
    const args = {
      from,
      to,
      gas: quantity(100_000),
      authorizationList: Array.from({ length: 5 }, () => given),
    };
    await expect(ask("chain_createAccessList", args, "latest")).rejects.toMatchObject(
      refusalOf("insufficient gas to process all authorizations"),
    );
  });

  test("Kaia's calls have no authorization list, as on the Go node", async () => {
    const args = { from, to, authorizationList: [given] };
    expect(await ask("chain_call", args, "latest")).toBe("0x");
    expect(await ask("chain_estimateGas", args)).toBe(quantity(21_000));
    expect(await ask("chain_estimateGas", { ...args, authorizationList: "anything" })).toBe(quantity(21_000));
  });
});

describe("transactions", () => {
  let node: SigningNode;

  beforeAll(async () => {
    node = await aSigningNode();
  });
  afterAll(async () => node[Symbol.asyncDispose]());

  async function argsOf(more: object = {}) {
    const authorization = await authorizationOf(giver, { chainId: Number(node.chainId) });
    return { from: node.rich, to, authorizationList: [authorization], ...more };
  }

  test("eth_fillTransaction creates a set-code transaction, with gas for its authorizations", async () => {
    const args = await argsOf();
    const { raw, tx } = await node.call("eth_fillTransaction", [args]);
    const [{ address, ...rest }] = args.authorizationList as [SentAuthorization];
    expect(tx).toMatchObject({
      type: "0x4",
      gas: quantity(46_000),
      accessList: [],
      authorizationList: [{ address: address.toLowerCase(), ...rest }],
    });
    expect(raw.slice(0, 4)).toBe("0x04");
    expect(EthersTransaction.from(raw).authorizationList).toHaveLength(1);
  });

  test("eth_signTransaction signs it", async () => {
    const complete = {
      nonce: "0x0",
      gas: "0x30d40",
      maxFeePerGas: "0xba43b7400",
      maxPriorityFeePerGas: "0x0",
    };
    const { raw, tx } = await node.call("eth_signTransaction", [await argsOf(complete)]);
    const read = EthersTransaction.from(raw);
    expect([read.type, read.from?.toLowerCase(), read.hash]).toEqual([4, node.rich, tx["hash"]]);
    expect(read.authorizationList?.[0]?.address.toLowerCase()).toBe(ANSWER);
  });

  test("eth_sendTransaction sends it", async () => {
    const hash = await node.call<string>("eth_sendTransaction", [await argsOf()]);
    expect(hash).toMatch(/^0x[0-9a-f]{64}$/);
    expect(await node.call("eth_getTransactionByHash", [hash])).toMatchObject({
      type: "0x4",
      gas: quantity(46_000),
      authorizationList: [{ address: ANSWER, nonce: "0x0" }],
    });
  });

  test("an authorization list without a recipient is refused", async () => {
    const { to: _, ...creation } = await argsOf({ input: "0x00", gas: "0x30d40" });
    for (const method of ["eth_fillTransaction", "eth_sendTransaction"])
      expect(await node.call(method, [creation])).toEqual(
        refusalOf("SetCodeTx must have a non-nil recipient address"),
      );
    const { authorizationList } = creation;
    const nothing = { from: node.rich, authorizationList };
    expect(await node.call("eth_fillTransaction", [nothing])).toEqual(
      refusalOf("contract creation without any data provided"),
    );
  });

  test.each(["chainId", "address", "nonce", "yParity", "r", "s"] as const)(
    "an authorization without %s is refused by that name",
    async (member) => {
      for (const value of [undefined, null]) {
        const args = { from, to, authorizationList: [{ ...given, [member]: value }] };
        expect(await node.call("eth_estimateGas", [args])).toEqual({
          code: -32602,
          message: `invalid argument 0: missing required field '${member}' for SetCodeAuthorization`,
        });
      }
    },
  );

  const field = "into Go struct field EthTransactionArgs.authorizationList";
  test.each([
    [{ r: "0x01" }, `hex number with leading zero digits ${field}.r of type *uint256.Int`],
    [{ s: `0x1${"00".repeat(32)}` }, `hex number > 256 bits ${field}.s of type *uint256.Int`],
    [{ r: 1 }, `non-string ${field}.r of type *uint256.Int`],
    [{ nonce: 1 }, `non-string ${field}.nonce of type hexutil.Uint64`],
    [{ yParity: "1" }, `hex string without 0x prefix ${field}.yParity of type hexutil.Uint64`],
  ])("an authorization with %j is refused with the Go node's error", async (change, message) => {
    const args = { from, to, authorizationList: [{ ...given, ...change }] };
    expect(await node.call("eth_estimateGas", [args])).toEqual({
      code: -32602,
      message: `invalid argument 0: json: cannot unmarshal ${message}`,
    });
  });

  test.each([
    [["x"], `string ${field} of type types.SetCodeAuthorization`],
    [{}, `object ${field} of type []types.SetCodeAuthorization`],
  ])("a list %j is refused with the Go node's error", async (authorizationList, message) => {
    expect(await node.call("eth_estimateGas", [{ from, to, authorizationList }])).toEqual({
      code: -32602,
      message: `invalid argument 0: json: cannot unmarshal ${message}`,
    });
  });
});

test.each(["address", "storageKeys"] as const)(
  "an access list entry without %s is refused by that name",
  (member) => {
    const entry = { address: ANSWER, storageKeys: [] };
    expect(() => ethArgs.decode({ accessList: [{ ...entry, [member]: null }] })).toThrow(
      `missing required field '${member}' for AccessTuple`,
    );
    expect(ethArgs.decode({ accessList: [entry] }).accessList).toHaveLength(1);
  },
);

test("a reader thread gets the same authorizations", () => {
  const args = ethArgs.decode({ from, to, authorizationList: [{ ...given, r: "0xabc", yParity: "0x1" }] });
  expect(ethArgs.decode(JSON.parse(JSON.stringify(callArgsJson(args))))).toEqual(args);
});
