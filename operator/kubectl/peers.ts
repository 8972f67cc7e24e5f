/** `kubectl knit peers`: the required peers of each replica by name, and how many are connected. */
import { keyOf, type NodeResource } from "../api/resource.ts";
import { peerId } from "../plan/mesh.ts";

/** Formats a table, a line for each replica of the Nodes; names of peers are looked up in `all`. */
export function peersTable(nodes: readonly NodeResource[], all: readonly NodeResource[]): string {
  const names = new Map(
    all.flatMap(({ meta, status }) =>
      (status.members ?? []).flatMap(({ name, url }) =>
        url === undefined ? [] : [[peerId(url), { namespace: meta.namespace, name }] as const],
      ),
    ),
  );
  const rows = nodes.flatMap(({ meta, status }) =>
    (status.members ?? []).map(({ name, peers, peersWanted = 0, peersMissing = 0, mesh = [] }) => {
      const wanted = mesh.map((url) => {
        const peer = names.get(peerId(url));
        if (peer === undefined) return hostOf(url);
        return peer.namespace === meta.namespace ? peer.name : keyOf(peer);
      });
      const required = `${peersWanted - peersMissing} of ${peersWanted}`;
      return [keyOf({ namespace: meta.namespace, name }), String(peers ?? "-"), required, wanted.join(" ")];
    }),
  );
  return table([["REPLICA", "CONNECTED", "REQUIRED", "REQUIRED PEERS"], ...rows]);
}

function hostOf(url: string): string {
  return /@([^?]+)/.exec(url)?.[1] ?? url;
}

function table(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  const lines = rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
  return `${lines.join("\n")}\n`;
}
