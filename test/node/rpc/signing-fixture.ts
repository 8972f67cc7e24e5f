/** A node's registry on a development chain, with an unlocked account and one in a key file. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Accounts } from "../../../node/accounts/accounts.ts";
import { DEVELOPMENT_KEYS } from "../../../node/accounts/development-keys.ts";
import { openAccounts } from "../../../node/accounts/open-accounts.ts";
import { bareHex, fromHex, toHex } from "../../../node/bytes/hex.ts";
import { developmentGenesis } from "../../../node/chain/development.ts";
import type { ProfileName } from "../../../node/compat/profiles.ts";
import { addressOfKey } from "../../../node/crypto/secp256k1.ts";
import type { RpcEndpoint } from "../../../node/jsonrpc/dispatch.ts";
import { silentLog } from "../../../node/observe/log.ts";
import { aChain } from "../../support/chain.ts";
import { aSession } from "./fixture.ts";
import { aPool } from "./recorded-chain.ts";
import { servedNode } from "./served-node.ts";

/** Answer of a signing method. */
export interface Answer {
  readonly raw: string;
  readonly tx: Readonly<Record<string, unknown>>;
}

/** An account with code. */
export const CONTRACT = `0x${"cc".repeat(20)}`;

/** The node; `rich` and `payer` are unlocked, `filed` has the passphrase "secret", all have money. */
export interface SigningNode extends AsyncDisposable {
  readonly chainId: bigint;
  readonly accounts: Accounts;
  readonly rich: string;
  readonly payer: string;
  readonly filed: string;
  /** The result of a call, or its error. */
  call<T = Answer>(method: string, params: unknown, profile?: ProfileName): Promise<T>;
}

/** Opens it. */
export async function aSigningNode(): Promise<SigningNode> {
  await using parts = new AsyncDisposableStack();
  const validator = addressOfKey(new Uint8Array(32).fill(9));
  const genesis = developmentGenesis({
    keys: DEVELOPMENT_KEYS.slice(0, 3),
    chainId: 1337,
    balance: 10n ** 24n,
    validator,
    time: 1_700_000_000,
  });
  const code = {
    address: fromHex(CONTRACT),
    balance: 0n,
    nonce: 1n,
    code: Uint8Array.of(0),
    storage: undefined,
  };
  const chain = parts.use(await aChain({ ...genesis, alloc: [...genesis.alloc, code] }));
  const pool = parts.use(await aPool(chain.chain));
  const directory = await mkdtemp(join(tmpdir(), "rpc-signing-"));
  parts.defer(() => rm(directory, { recursive: true, force: true }));
  const accounts = parts.use(await openAccounts({ directory, lightKdf: true, log: silentLog }));
  const [first, second, third] = DEVELOPMENT_KEYS.slice(0, 3) as [Uint8Array, Uint8Array, Uint8Array];
  const rich = toHex(accounts.hold(first));
  const payer = toHex(accounts.hold(third));
  const filed = toHex(await accounts.importRawKey(bareHex(second), "secret"));
  const served = {
    chain: chain.chain,
    pool,
    accounts,
    dataDirectory: directory,
    ethFeeCap: 2.05,
    possession,
  };
  const endpoints = new Map<ProfileName, RpcEndpoint>();
  const open = parts.move();
  return {
    chainId: chain.chain.config.chainId,
    accounts,
    rich,
    payer,
    filed,
    call: (method, params, profile = "service") => {
      const endpoint = endpoints.get(profile) ?? servedNode(profile, served);
      endpoints.set(profile, endpoint);
      return call(endpoint, JSON.stringify({ id: 1, method, params }));
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

async function call<T>(endpoint: RpcEndpoint, request: string): Promise<T> {
  const answer = JSON.parse((await endpoint.answer(request, aSession)) ?? "") as { result?: T; error?: T };
  return (answer.error ?? answer.result) as T; // each test says what it expects of which
}

const possession = () => Promise.resolve({ publicKey: Uint8Array.of(1), proof: Uint8Array.of(2) });

/** A refusal with the generic code. */
export function refusalOf(message: string): object {
  return { code: -32000, message };
}
