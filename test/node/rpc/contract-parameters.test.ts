/** The parameters of governance contracts: the chain's own in the node's thread, any other in a reader thread. */
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { concatBytes } from "../../../node/bytes/compare.ts";
import { bareHex, toHex } from "../../../node/bytes/hex.ts";
import { fixedBytes } from "../../../node/bytes/integer.ts";
import { encodeRlp } from "../../../node/bytes/rlp.ts";
import { chainReading } from "../../../node/calls/chain-reading.ts";
import { type Genesis, parseGenesis } from "../../../node/config/genesis.ts";
import type { RpcEndpoint } from "../../../node/jsonrpc/dispatch.ts";
import type { ReaderCallOptions, ReaderPool } from "../../../node/jsonrpc/reader-pool.ts";
import { contractParameterMethods } from "../../../node/rpc/contract-parameters.ts";
import { askRow } from "../../support/ask-row.ts";
import { aChain, type TestChain } from "../../support/chain.ts";
import { answeringCode, wordsOf } from "../../support/contract-code.ts";
import { abiAnswer } from "../../support/contracts.ts";
import { aValidator } from "../../support/headers.ts";
import { aCall, anEndpoint, aSession } from "./fixture.ts";

const METHOD = "governance_getContractParams";
const FORKS = ["istanbul", "london", "ethTxType", "magma", "kore"];
const [own, other, nobody] = [0x5001, 0x5002, 0x5003].map((number) => toHex(fixedBytes(number, 20)));

/** A contract that sets the gas target. */
function codeOf(gasTarget: number): string {
  const answer = abiAnswer({ list: [Buffer.from("kip71.gastarget")] }, { list: [Uint8Array.of(gasTarget)] });
  return toHex(answeringCode([["getAllParamsAt(uint256)", wordsOf(answer)]]));
}

function aGenesis(forks: readonly string[]): Genesis {
  const validators = [aValidator(1).address];
  const config = Object.fromEntries(forks.map((name) => [`${name}CompatibleBlock`, 0]));
  return parseGenesis(
    JSON.stringify({
      config: {
        chainId: 9,
        ...config,
        istanbul: { epoch: 4, policy: 0, sub: 4 },
        unitPrice: 1,
        deriveShaImpl: 0,
        governance: {
          governanceMode: "none",
          govParamContract: own,
          reward: { mintingAmount: 0, minimumStake: 0, ratio: "100/0/0" },
        },
      },
      timestamp: "0x64",
      extraData: toHex(concatBytes(new Uint8Array(32), encodeRlp([validators, new Uint8Array(0), []]))),
      blockScore: "0x1",
      alloc: {
        [bareHex(fixedBytes(0x5001, 20))]: { balance: "0x0", code: codeOf(77) },
        [bareHex(fixedBytes(0x5002, 20))]: { balance: "0x0", code: codeOf(88) },
      },
    }),
  );
}

const parts = new AsyncDisposableStack();
let chain: TestChain;
beforeAll(async () => {
  chain = parts.use(await aChain(aGenesis(FORKS)));
});
afterAll(() => parts.disposeAsync());

function methodsOf({ chain: view, governance }: TestChain) {
  return contractParameterMethods({
    open: () => chainReading(view),
    timeoutMs: 5000,
    ownValues: (number) => governance.contractValues(number),
  });
}

test("they are those of the chain's own contract, or of the given one; null where there is none", async () => {
  const methods = methodsOf(chain);
  for (const block of ["latest", "pending", "0x0"]) {
    expect(await askRow(methods, METHOD, block)).toEqual({ "kip71.gastarget": 77 });
    expect(await askRow(methods, METHOD, block, own)).toEqual({ "kip71.gastarget": 77 });
    expect(await askRow(methods, METHOD, block, other)).toEqual({ "kip71.gastarget": 88 });
    expect(await askRow(methods, METHOD, block, nobody)).toBeNull();
  }
});

test("before Kore there are none", async () => {
  await using old = await aChain(aGenesis(FORKS.slice(0, -1)));
  for (const contract of [[], [other]]) {
    await expect(askRow(methodsOf(old), METHOD, "latest", ...contract)).rejects.toThrow(
      "ContractEngine is not ready",
    );
  }
});

/** An endpoint whose reader threads only note what they are given. */
function anEndpointWithReaders(): { endpoint: RpcEndpoint; given: [string, ReaderCallOptions][] } {
  const given: [string, ReaderCallOptions][] = [];
  const readers: ReaderPool = {
    call: (_name, params, terms) => {
      given.push([params, terms]);
      return Promise.resolve('"read"');
    },
  };
  return { endpoint: anEndpoint({ methods: methodsOf(chain), options: { readers } }), given };
}

test("a contract that a caller names runs in a reader thread, until the deadline of calls", async () => {
  const { endpoint, given } = anEndpointWithReaders();
  expect(await endpoint.answer(aCall(METHOD, ["latest", other]), aSession)).toContain('"result":"read"');
  expect(given).toMatchObject([
    [`["latest","${other}"]`, { expires: { afterMs: 5000, message: "execution aborted (timeout = 5s)" } }],
  ]);
});

test("the chain's own contract is read at once", () => {
  const { endpoint, given } = anEndpointWithReaders();
  expect(endpoint.answer(aCall(METHOD, ["latest"]), aSession)).toContain('"kip71.gastarget":77');
  expect(given).toEqual([]);
});
