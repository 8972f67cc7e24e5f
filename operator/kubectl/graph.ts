/** The peers of all Nodes as a Mermaid flowchart, from the statuses that the operator wrote. Reads, and writes nothing. */
import { FIELD_MANAGER } from "../api/names.ts";
import type { NodeResource } from "../api/resource.ts";
import { loadAccess } from "../kube/access.ts";
import { openKubeClient } from "../kube/client.ts";
import { systemClock } from "../observe/clock.ts";
import { edgesBetween, stateText, type Vertex, verticesOf } from "../plan/mesh-graph.ts";
import { listNodes } from "./read.ts";

/** Reads the Nodes of a namespace, or of all, and returns the flowchart. Throws `KubeError`. */
export async function readGraph(namespace: string | undefined): Promise<string> {
  const access = await loadAccess(() => systemClock.now());
  await using client = openKubeClient({ access, userAgent: FIELD_MANAGER, fieldManager: FIELD_MANAGER });
  return meshGraph(await listNodes(client, namespace));
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
    ...edgesBetween(vertices).map(([one, other]) => `  ${one} --- ${other}`),
    "  classDef unready stroke:#c00,stroke-dasharray: 4",
  ];
  return `${lines.join("\n")}\n`;
}

function vertexText({ id, type, member }: Vertex): string {
  return `${id}["${member.name}: ${type}, ${stateText(member)}"]${member.ready ? "" : ":::unready"}`;
}
