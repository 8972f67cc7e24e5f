/** Recorded transcripts of the Go nodes' `personal` and signing methods, replayed in their profiles. */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { openAccounts } from "../../../node/accounts/open-accounts.ts";
import type { ProfileName } from "../../../node/compat/profiles.ts";
import { parseGenesis } from "../../../node/config/genesis.ts";
import type { RpcEndpoint } from "../../../node/jsonrpc/dispatch.ts";
import { silentLog } from "../../../node/observe/log.ts";
import { aChain } from "../../support/chain.ts";
import { aSession } from "./fixture.ts";
import { aPool } from "./recorded-chain.ts";
import { servedNode } from "./served-node.ts";

interface Entry {
  readonly request: string;
  readonly response: string;
  readonly varies?: string;
  readonly needs?: string;
}

interface Transcript {
  readonly profile: ProfileName;
  readonly networkId: number;
  readonly genesis: object;
  readonly entries: readonly Entry[];
}

const file = gunzipSync(await readFile("test/vectors/rpc-personal.json.gz")).toString();
const { transcripts } = JSON.parse(file) as { readonly transcripts: readonly Transcript[] };

/** Methods of the transcripts that are not about keys, tested elsewhere. */
const ELSEWHERE = /"klay_recoverFromMessage"/;

describe.each(transcripts.map((transcript) => [transcript.profile, transcript] as const))(
  "in the profile %s",
  (profile, { genesis, networkId, entries }) => {
    const parts = new AsyncDisposableStack();
    let endpoint: RpcEndpoint;
    let directory: string;

    beforeAll(async () => {
      directory = await mkdtemp(join(tmpdir(), "rpc-personal-"));
      parts.defer(() => rm(directory, { recursive: true, force: true }));
      const { chain } = parts.use(await aChain(parseGenesis(JSON.stringify(genesis))));
      const pool = parts.use(await aPool(chain));
      const accounts = parts.use(
        await openAccounts({ directory: join(directory, "keystore"), lightKdf: true, log: silentLog }),
      );
      endpoint = servedNode(profile, { chain, pool, accounts, networkId, dataDirectory: directory });
    });
    afterAll(() => parts.disposeAsync());

    test("every recorded response is returned byte for byte", async () => {
      const wrong: object[] = [];
      let compared = 0;
      for (const { request, response, needs, varies } of entries.filter(isOurs)) {
        const answer = String(await endpoint.answer(request, aSession)).trim();
        if (needs !== undefined) continue;
        compared++;
        const same = literal(answer, directory, varies) === literal(response, "DATADIR", varies);
        if (!same) wrong.push({ request, answer, response });
      }
      expect(wrong).toEqual([]);
      expect(compared).toBeGreaterThan(300);
    }, 120_000);
  },
);

function isOurs({ request }: Entry): boolean {
  return !ELSEWHERE.test(request);
}

/** Normalizes directories and times of file names, and sorts lists that the Go node returns unordered. */
function literal(answer: string, directory: string, varies: string | undefined): string {
  const text = answer.replaceAll(directory, "DIR").replaceAll(/UTC--[^"]*?--/g, "UTC--");
  return varies === "order" ? text.split("").sort().join("") : text;
}
