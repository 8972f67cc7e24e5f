/** Log lines about the node itself: what has opened, a clock that is behind, and a line a minute while it runs. */
import { addressText, toHex } from "../bytes/hex.ts";
import type { Chain } from "../chain/chain.ts";
import { programVersion } from "../config/version.ts";
import type { Log } from "../observe/log.ts";
import type { NodeKey } from "../p2p/node-key.ts";
import type { P2p } from "../p2p/p2p.ts";
import type { Clock } from "../runtime/clock.ts";
import type { NodeOptions } from "./options.ts";

/** The opened parts that are logged. */
export interface OpenedNode {
  readonly options: Pick<NodeOptions, "type" | "networkId" | "publicNetwork" | "paths" | "network">;
  readonly chain: Pick<Chain, "config" | "head">;
  readonly nodeKey: Pick<NodeKey, "address">;
  /** URL of the metrics, when they are served. */
  readonly metrics: string | undefined;
}

/** A line each for metrics, peers and the node itself; the listeners of JSON-RPC have lines of their own. */
export function logStart(log: Log, { options, chain, nodeKey, metrics }: OpenedNode): void {
  const { type, paths, network, networkId, publicNetwork } = options;
  const { header, hash } = chain.head();
  const chainId = chain.config.chainId.toString();
  if (metrics !== undefined) log.info({ url: metrics }, "metrics endpoint opened");
  if (network.port === undefined) log.info({ most: network.maxPeers }, "no peers can connect to this node");
  else
    log.info(
      { port: network.port, most: network.maxPeers, discovers: network.discovers },
      "opened peer-to-peer networking",
    );
  log.info(
    {
      type,
      network: publicNetwork ?? networkId ?? chainId,
      chainId,
      number: header.number,
      hash: toHex(hash),
      made: new Date(header.time * 1000).toISOString(),
      node: addressText(nodeKey.address),
      datadir: paths.dataDirectory,
      version: programVersion(),
    },
    "opened node",
  );
}

/** Seconds that a block of others may be ahead of this clock. */
const MAX_BEHIND_S = 5;

/** Logs an error when the clock is behind. */
export function checkClock(chain: Pick<Chain, "head">, clock: Clock, log: Log): void {
  const { number, time } = chain.head().header;
  const behindSeconds = Math.round(time - clock.now() / 1000);
  if (behindSeconds <= MAX_BEHIND_S) return;
  const message =
    "the clock is behind the newest block: set it, no block is made or taken in before it has come so far";
  log.error({ behindSeconds, number, now: new Date(clock.now()).toISOString() }, message);
}

/** Parts that the line reports about. */
export interface StatusLogDeps {
  readonly chain: Pick<Chain, "head">;
  readonly p2p: Pick<P2p, "connectedPeers">;
  readonly clock: Clock;
  readonly log: Log;
}

const EVERY_MS = 60_000;

/** Logs every minute, until it is disposed. `everyMs` is for tests. */
export function openStatusLog(deps: StatusLogDeps, everyMs = EVERY_MS): Disposable {
  const timer = setInterval(() => logStatus(deps), everyMs);
  timer.unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

function logStatus({ chain, p2p, clock, log }: StatusLogDeps): void {
  const { number, time } = chain.head().header;
  const ageSeconds = Math.max(0, Math.round(clock.now() / 1000 - time));
  log.info({ number, ageSeconds, peers: p2p.connectedPeers().length }, "node status");
}
