/** A Go node under attack: the only validator of a fresh chain; the path of its binary is in KNIT_PEER_KCN. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type NetworkNode, openNetwork } from "../../scripts/network/network.ts";
import { freePort, GO_BINARY } from "../../test/support/go-node.ts";
import { targetOf, webSocketFlags } from "./network-target.ts";
import type { Victim } from "./victim.ts";

/** Starts a Go node; `flags` follow the common ones. Rejects when it does not start, or when none is named. */
export async function startGoVictim(flags: readonly string[]): Promise<Victim> {
  if (GO_BINARY === "") throw new Error("KNIT_PEER_KCN names no Go node");
  const directory = await mkdtemp(join(tmpdir(), "knit-attack-go-"));
  const wsPort = await freePort();
  const network = await openNetwork({
    size: { core: 1, proxy: 0, endpoint: 0 },
    directory,
    go: { core: 1, binary: GO_BINARY },
    flagsOf: () => [...webSocketFlags(wsPort), ...flags],
  });
  const [node] = network.nodes as readonly [NetworkNode];
  return {
    pid: node.pid() ?? Number.NaN,
    target: targetOf(node, wsPort),
    death: () => (node.pid() === undefined ? "ended" : undefined),
    [Symbol.asyncDispose]: async () => {
      await node.stop("SIGKILL");
      await rm(directory, { recursive: true, force: true });
    },
  };
}
