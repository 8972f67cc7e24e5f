/** The replicas of Nodes and the lines between required peers, from the statuses that the operator wrote. */
import type { MemberStatus } from "../api/node-status.ts";
import { keyOf, type NodeResource } from "../api/resource.ts";
import { peerId } from "./mesh.ts";

/** A replica in the graph. */
export interface Vertex {
  readonly id: string;
  /** `namespace/name` of the Network. */
  readonly network: string;
  readonly type: NodeResource["spec"]["type"];
  readonly member: MemberStatus;
}

/** Lists the replicas in the order of the Nodes. */
export function verticesOf(nodes: readonly NodeResource[]): readonly Vertex[] {
  const all = nodes.flatMap((node) => (node.status.members ?? []).map((member) => ({ node, member })));
  return all.map(({ node: { meta, spec }, member }, index) => ({
    id: `m${index}`,
    network: keyOf({ namespace: meta.namespace, name: spec.network.name }),
    type: spec.type,
    member,
  }));
}

/** Lists each pair of peers once, by the ids of their vertices. A peer outside of these Nodes has no vertex. */
export function edgesBetween(vertices: readonly Vertex[]): readonly (readonly [string, string])[] {
  const byPeer = new Map(
    vertices.flatMap(({ id, member: { url } }) => (url === undefined ? [] : [[peerId(url), id] as const])),
  );
  const edges = new Map<string, readonly [string, string]>();
  for (const { id, member } of vertices)
    for (const url of member.mesh ?? []) {
      const other = byPeer.get(peerId(url));
      if (other === undefined || other === id) continue;
      const [first = "", second = ""] = [id, other].toSorted(byNumber);
      edges.set(`${first} ${second}`, [first, second]);
    }
  return [...edges.values()];
}

function byNumber(a: string, b: string): number {
  return Number(a.slice(1)) - Number(b.slice(1));
}

/** Returns the height of a replica and the reason for not being ready as text. */
export function stateText({ height, ready, reason }: MemberStatus): string {
  const text = height === undefined ? "no height" : `block ${height}`;
  return ready ? text : `${text}, ${reason ?? "not ready"}`;
}
