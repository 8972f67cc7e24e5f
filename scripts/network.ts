/**
 * A network on this machine, for trying and testing: core nodes that are the council, proxies, endpoints.
 *
 *   npm run network -- [--core 4] [--proxy 2] [--endpoint 2] [--go-core N] [--dir DIRECTORY] [--seconds N]
 *     [--policy 0|1|2] [--committee N] [--randao]
 *
 * `--go-core N`: so many of the core nodes are Go nodes, whose binary KNIT_PEER_KCN names.
 * `--policy`, `--committee`: `istanbul.policy` and `istanbul.sub` of the genesis; `--randao`: Randao and Osaka from block 0.
 * Runs until Ctrl-C, or for so many seconds; then says where the nodes are. Without a directory everything is thrown away.
 */
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { CHAIN_ID } from "./network/genesis.ts";
import { agree, headsOf } from "./network/heads.ts";
import { type Network, type NetworkOptions, openNetwork } from "./network/network.ts";
import type { NetworkSize } from "./network/plan.ts";

const { values } = parseArgs({
  options: {
    core: { type: "string", default: "4" },
    proxy: { type: "string", default: "2" },
    endpoint: { type: "string", default: "2" },
    "go-core": { type: "string", default: "0" },
    policy: { type: "string", default: "0" },
    committee: { type: "string", default: "22" },
    randao: { type: "boolean", default: false },
    dir: { type: "string" },
    seconds: { type: "string" },
  },
});

const directory =
  values.dir === undefined ? await mkdtemp(join(tmpdir(), "knit-network-")) : resolve(values.dir);
try {
  const consensus = {
    policy: countOf("policy", values.policy),
    committeeSize: countOf("committee", values.committee),
    randao: values.randao,
  };
  const go = goCore(values["go-core"]);
  await using network = await openNetwork({ size: sizeOf(values), directory, consensus, go });
  const end = untilEnded(); // before the addresses are printed: whoever reads them may press Ctrl-C at once
  console.log(`chain ${CHAIN_ID}, directories and logs in ${directory}`);
  for (const { name, url } of network.nodes) console.log(`${name.padEnd(12)} ${url}`);
  await end;
  await summarise(network);
} finally {
  if (values.dir === undefined) await rm(directory, { recursive: true, force: true });
}

function sizeOf({ core, proxy, endpoint }: Record<keyof NetworkSize, string>): NetworkSize {
  return {
    core: countOf("core", core),
    proxy: countOf("proxy", proxy),
    endpoint: countOf("endpoint", endpoint),
  };
}

function goCore(text: string): NetworkOptions["go"] {
  const core = countOf("go-core", text);
  const binary = process.env["KNIT_PEER_KCN"];
  if (core > 0 && binary === undefined)
    throw new RangeError("--go-core needs the path of a Go node's binary in KNIT_PEER_KCN");
  return binary === undefined || core === 0 ? undefined : { core, binary };
}

function countOf(name: string, text: string): number {
  if (!/^\d{1,2}$/.test(text)) throw new RangeError(`--${name} is a number from 0 to 99`);
  return Number(text);
}

async function untilEnded(): Promise<void> {
  const { seconds } = values;
  const over = new AbortController();
  const { signal } = over;
  const signals = (["SIGINT", "SIGTERM", "SIGHUP"] as const).map((name) => once(process, name, { signal }));
  const timer = seconds === undefined ? undefined : setTimeout(() => over.abort(), Number(seconds) * 1000);
  await Promise.race(signals).catch(() => undefined); // aborted: the time is over
  clearTimeout(timer);
  over.abort();
  await Promise.allSettled(signals);
}

async function summarise({ nodes }: Network): Promise<void> {
  for (const { name, number, hash, peers } of await headsOf(nodes)) {
    const where = number === undefined ? "does not answer" : `${number} ${hash}, ${peers} peers`;
    console.log(`${name.padEnd(12)} ${where}`);
  }
  const same = await agree(nodes);
  console.log(same ? "all agree" : "the nodes do not agree");
  if (!same) process.exitCode = 1;
}
