/** The peers of all Nodes as a Mermaid flowchart, from the statuses that the operator wrote. Reads, and writes nothing. */
import { FIELD_MANAGER } from "../api/names.ts";
import type { MemberStatus } from "../api/node-status.ts";
import { keyOf, type NodeResource } from "../api/resource.ts";
import { loadAccess } from "../kube/access.ts";
import { openKubeClient } from "../kube/client.ts";
import { systemClock } from "../observe/clock.ts";
import { peerId } from "../plan/mesh.ts";
import { listNodes } from "./read.ts";

/** Reads the Nodes of a namespace, or of all, and returns the flowchart. Throws `KubeError`. */
export async function readGraph(namespace: string | undefined): Promise<string> {
  const access = await loadAccess(() => systemClock.now());
  await using client = openKubeClient({ access, userAgent: FIELD_MANAGER, fieldManager: FIELD_MANAGER });
  return meshGraph(await listNodes(client, namespace));
}

interface Vertex {
  readonly id: string;
  readonly network: string;
  readonly type: string;
  readonly member: MemberStatus;
}

/** Formats the flowchart: a box for each network, a vertex for each replica, a line for each pair of required peers. */
export function meshGraph(nodes: readonly NodeResource[]): string {
  const vertices = verticesOf(nodes);
  const networks = [...new Set(vertices.map(({ network }) => network))].sort();
  const boxes = networks.flatMap((network, index) => [
    `  subgraph n${index}["${network}"]`,
    ...vertices.filter((each) => each.network === network).map((vertex) => `    ${vertexText(vertex)}`),
    "  end",
  ]);
  const lines = [
    "flowchart LR",
    ...boxes,
    ...edgesBetween(vertices).map((edge) => `  ${edge}`),
    "  classDef unready stroke:#c00,stroke-dasharray: 4",
  ];
  return `${lines.join("\n")}\n`;
}

function verticesOf(nodes: readonly NodeResource[]): readonly Vertex[] {
  const all = nodes.flatMap((node) => (node.status.members ?? []).map((member) => ({ node, member })));
  return all.map(({ node: { meta, spec }, member }, index) => ({
    id: `m${index}`,
    network: keyOf({ namespace: meta.namespace, name: spec.network.name }),
    type: spec.type,
    member,
  }));
}

function vertexText({ id, type, member }: Vertex): string {
  const height = member.height === undefined ? "no height" : `block ${member.height}`;
  const state = member.ready ? height : `${height}, ${member.reason ?? "not ready"}`;
  return `${id}["${member.name}: ${type}, ${state}"]${member.ready ? "" : ":::unready"}`;
}

/** Lists each pair once. A peer outside of these Nodes has no vertex. */
function edgesBetween(vertices: readonly Vertex[]): readonly string[] {
  const byPeer = new Map(
    vertices.flatMap(({ id, member: { url } }) => (url === undefined ? [] : [[peerId(url), id] as const])),
  );
  const edges = new Set<string>();
  for (const { id, member } of vertices)
    for (const url of member.mesh ?? []) {
      const other = byPeer.get(peerId(url));
      if (other === undefined || other === id) continue;
      edges.add([id, other].toSorted(byNumber).join(" --- "));
    }
  return [...edges];
}

function byNumber(a: string, b: string): number {
  return Number(a.slice(1)) - Number(b.slice(1));
}
