/**
 * The Go node judges answers to odd parameters: recorded requests about a chain, each with one parameter replaced by a
 * value of another shape. Needs the path of a Go node in KNIT_PEER_KCN; KNIT_SEED selects other requests, and
 * KNIT_SHAPES how many.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "@jest/globals";
import { blocksWithoutFirst, openGoImporter } from "../support/go-node.ts";
import { goTests } from "../support/go-peer.ts";
import { seededRandom } from "../support/random.ts";
import { post } from "../support/rpc-client.ts";
import { readTranscript } from "../support/transcript/transcript.ts";
import { startTranscriptNode } from "../support/transcript/transcript-node.ts";

const FOLDER = "test/vectors/chains/prague";
const COUNT = Number(process.env["KNIT_SHAPES"] ?? 2_000);
const SEED = Number(process.env["KNIT_SEED"] ?? 1);
const [needed, reason] = goTests();
const PLAIN = `null true [] {} [null] {"a":1} 0 -0 1 -1 1.0 1.5 1e3 1e400 9007199254740992 18446744073709551615
18446744073709551616 "" "0x" "0x0" "0x01" "0X1" "1" "0xg" "0x123" "-0x1" "\\u0030x1" "safe" "earliest" "Latest"
"0x7fffffffffffffff" "0x8000000000000000" {"blockNumber":"0x5"} {"blockHash":1}
{"blockNumber":"0x5","requireCanonical":1}`;
/** Values of all kinds that no parameter is made for, as JSON text. */
const ODD = [
  ...PLAIN.split(/\s/),
  '" latest"',
  ...[19, 20, 31, 32, 33].map((length) => `"0x${"ab".repeat(length)}"`),
];
/** Methods whose answers name the process, its accounts or the time of an answer, or on which the Go node crashes. */
const OWN =
  /^(personal|admin|txpool)_|sign|send|Filter|uninstall|printBlock|dumpBlock|clientVersion|rewardbase|accounts/i;

interface Call {
  readonly method: string;
  readonly params: readonly unknown[];
}

/** Returns requests as text, by the seed. */
function requests(recorded: readonly Call[]): string[] {
  const random = seededRandom(SEED);
  const index = (length: number): number => Math.floor(random() * length);
  return Array.from({ length: COUNT }, () => {
    const { method, params } = recorded[index(recorded.length)] as Call;
    const texts = params.map((value) => JSON.stringify(value));
    texts[index(texts.length)] = ODD[index(ODD.length)] as string;
    return `{"jsonrpc":"2.0","id":1,"method":"${method}","params":[${texts.join(",")}]}`;
  });
}

needed(
  `answers to odd parameters are the Go node's${reason}`,
  async () => {
    const directory = await mkdtemp(join(tmpdir(), "knit-go-shapes-"));
    const transcript = readTranscript("test/vectors/rpc/prague.json.gz");
    await using go = await openGoImporter({
      genesis: join(FOLDER, "genesis.json"),
      directory,
      flags: ["--gcmode", "archive"],
    });
    await go?.secondsOf(await blocksWithoutFirst(join(FOLDER, "chain.rlp.gz")));
    await using knit = await startTranscriptNode(
      { ...transcript, node: "kaia-2.2.2" },
      { folder: FOLDER, left: 0 },
    );
    const recorded = transcript.entries
      .filter(({ group, response = "" }) => group === "chain-reads" && response.length < 20_000)
      .map(({ request = "{}" }) => JSON.parse(request) as Call)
      .filter(
        ({ method, params }) => /^(eth|klay|debug)_/.test(method) && !OWN.test(method) && params.length > 0,
      );
    const different: string[] = [];
    for (const body of requests(recorded)) {
      const [expected, found] = await Promise.all([
        post(go?.url ?? "", body),
        post(`http://127.0.0.1:${knit.httpPort}`, body),
      ]);
      if (expected !== found && !expected.includes("method handler crashed"))
        different.push(`${body}\n${expected}${found}`);
    }
    expect(different).toEqual([]);
    await rm(directory, { recursive: true, force: true });
  },
  600_000,
);
