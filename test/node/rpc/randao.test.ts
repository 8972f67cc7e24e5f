/** The contract registry and the BLS keys of validators on a recorded chain with Randao. */
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { openAccounts } from "../../../node/accounts/open-accounts.ts";
import { bareHex } from "../../../node/bytes/hex.ts";
import type { ProfileName } from "../../../node/compat/profiles.ts";
import { parseGenesis } from "../../../node/config/genesis.ts";
import { deriveBlsKey } from "../../../node/crypto/bls-key.ts";
import { type BlsPublicInfo, provePossession } from "../../../node/crypto/bls-possession.ts";
import { keccak256 } from "../../../node/crypto/keccak.ts";
import { addressOfKey } from "../../../node/crypto/secp256k1.ts";
import { decodeBlock } from "../../../node/model/block.ts";
import { silentLog } from "../../../node/observe/log.ts";
import { PossessionVerdicts } from "../../../node/rpc/possession-verdicts.ts";
import { aChain } from "../../support/chain.ts";
import { readRecordedChain } from "../../support/recorded-chain.ts";
import { aSession } from "./fixture.ts";
import { aPool } from "./recorded-chain.ts";
import { type ServedParts, servedNode } from "./served-node.ts";

const FOLDER = fileURLToPath(new URL("../../vectors/chains/osaka-randao", import.meta.url));
const KEYS = `0x${"402".padStart(40, "0")}`;
/** The only validator of the recorded chain. */
const validator = keccak256(Buffer.from("knit-s-osaka/cn0"));
const parts = new AsyncDisposableStack();
let served: ServedParts;

beforeAll(async () => {
  const chain = parts.use(await aChain(parseGenesis(readFileSync(join(FOLDER, "genesis.json"), "utf8"))));
  for (const raw of readRecordedChain(FOLDER).blocks.slice(1, 3)) await chain.writer.insert(decodeBlock(raw));
  await chain.writer.settle();
  const directory = await mkdtemp(join(tmpdir(), "rpc-randao-"));
  parts.defer(() => rm(directory, { recursive: true, force: true }));
  const accounts = parts.use(await openAccounts({ directory, lightKdf: true, log: silentLog }));
  const pool = parts.use(await aPool(chain.chain));
  served = { chain: chain.chain, governance: chain.governance, pool, accounts, dataDirectory: directory };
});
afterAll(() => parts.disposeAsync());

async function ask(profile: ProfileName, method: string, ...params: readonly unknown[]): Promise<unknown> {
  const request = JSON.stringify({ id: 1, method, params });
  const answer = await servedNode(profile, served).answer(request, aSession);
  const { result, error } = JSON.parse(answer ?? "") as { result?: unknown; error?: { message: string } };
  return error?.message ?? result;
}

test("the registry returns the active contract and all contracts of a name", async () => {
  expect(await ask("kaia", "klay_getActiveAddressFromRegistry", "KIP113", "latest")).toBe(KEYS);
  expect(await ask("kaia", "klay_getAllRecordsFromRegistry", "KIP113", "latest")).toEqual([
    { activation: 0, addr: KEYS },
  ]);
  expect(await ask("kaia", "klay_getActiveAddressFromRegistry", "Nobody", "latest")).toBe(
    "no active address for Nobody",
  );
  expect(await ask("kaia", "klay_getAllRecordsFromRegistry", "Nobody", "latest")).toBe(
    "Nobody has not been registered",
  );
  for (const name of ["klay_getActiveAddressFromRegistry", "klay_getAllRecordsFromRegistry"])
    expect(await ask("kaia", name, "KIP113", "0xffff")).toBe("block does not exist in blockchain");
});

test("registered BLS keys are returned with the result of their proofs", async () => {
  const { publicKey, proof } = await provePossession(deriveBlsKey(validator));
  const row = { publicKey: bareHex(publicKey), pop: bareHex(proof), verifyErr: null };
  const infos = (await ask("kaia", "klay_getBlsInfos", "latest")) as Record<string, object>;
  expect(Object.entries(infos).map(([address, info]) => [address.toLowerCase(), info])).toEqual([
    [`0x${bareHex(addressOfKey(validator))}`, row],
  ]);
  expect(await ask("kaia", "klay_getBlsInfos", "0x0")).toBe("block number cannot be zero");
});

test("a proof is checked once, in a turn of its own, whoever asks", async () => {
  const key = await provePossession(deriveBlsKey(validator));
  const other = { ...key, proof: key.proof.map((byte) => byte ^ 1) };
  const checked: Uint8Array[] = [];
  const check = ({ proof }: BlsPublicInfo): boolean => {
    checked.push(proof);
    return proof === key.proof;
  };
  const verdicts = new PossessionVerdicts(() => Promise.resolve(check));
  const origin = { signal: new AbortController().signal };
  const askBoth = (): Promise<boolean[]> =>
    Promise.all([key, other].map((each) => verdicts.of(each, origin)));
  let turn = 0;
  const seen = new Set<number>();
  const count = (): void => {
    if (checked.length > 0) seen.add(checked.length);
    if (++turn < 50) setImmediate(count);
  };
  count();
  expect(await Promise.all([askBoth(), askBoth()])).toEqual([
    [true, false],
    [true, false],
  ]);
  expect(await askBoth()).toEqual([true, false]);
  expect(checked).toEqual([key.proof, other.proof]);
  expect([...seen]).toEqual([1, 2]);
});

test("a chain without a parameter contract has no contract parameters, and no validator is demoted", async () => {
  expect(await ask("kaia", "governance_getContractParams", "latest")).toBeNull();
  const { hash } = served.chain.head();
  expect(await ask("kaia", "istanbul_getDemotedValidatorsAtHash", `0x${bareHex(hash)}`)).toEqual([]);
});
