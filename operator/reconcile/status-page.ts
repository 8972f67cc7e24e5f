/**
 * The status page: each network with its replicas and the lines between required peers as a picture, and the conditions
 * that need somebody. One HTML text without scripts, which the browser reads again every few seconds.
 */
import { keyOf, type NetworkResource, type NodeResource } from "../api/resource.ts";
import { edgesBetween, stateText, type Vertex, verticesOf } from "../plan/mesh-graph.ts";

/** Resources that the page shows. */
export interface StatusView {
  readonly nodes: readonly NodeResource[];
  readonly networks: readonly NetworkResource[];
}

const REFRESH_SECONDS = 5;
/** Maximum replicas in the picture of one network; more would not be readable. */
const MAX_DRAWN = 200;
const COLUMNS = ["core", "proxy", "endpoint"] as const;
const [BOX_WIDTH, BOX_HEIGHT, COLUMN_WIDTH, ROW_HEIGHT, MARGIN] = [220, 44, 330, 60, 10];

const STYLE = `
:root { color-scheme: light dark; font: 14px/1.5 system-ui, sans-serif; }
body { margin: 1.5rem auto; max-width: 64rem; padding: 0 1rem; }
h2 { margin: 2rem 0 .5rem; font-size: 1.1rem; }
svg { max-width: 100%; height: auto; }
rect { fill: none; stroke: #2a8; stroke-width: 1.5; }
.unready rect { stroke: #d33; stroke-dasharray: 5 3; }
path { fill: none; stroke: #8888; }
text { fill: currentColor; font-size: 12px; }
table { border-collapse: collapse; }
td { padding: .2rem 1rem .2rem 0; vertical-align: top; overflow-wrap: anywhere; }
`;

/** Writes the page; without a view this process is not the leader. */
export function statusPage(view: StatusView | undefined): string {
  const body =
    view === undefined
      ? "<p>This process waits to lead. The page is at the process that holds the Lease.</p>"
      : networksOf(view);
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta http-equiv="refresh" content="${REFRESH_SECONDS}">
<meta name="viewport" content="width=device-width"><title>knit-operator</title><style>${STYLE}</style>
<h1>knit-operator</h1>
${body}</html>
`;
}

function networksOf({ nodes, networks }: StatusView): string {
  const vertices = verticesOf(nodes);
  const byNetwork = Map.groupBy(vertices, ({ network }) => network);
  const known = new Map(networks.map((network) => [keyOf(network.meta), network]));
  const keys = [...new Set([...known.keys(), ...byNetwork.keys()])].sort();
  if (keys.length === 0) return "<p>There are no Networks and no Nodes.</p>";
  const troubles = nodes.flatMap(troublesOf);
  return [
    ...keys.map((key) => section(key, known.get(key), byNetwork.get(key) ?? [])),
    troubles.length === 0 ? "" : `<h2>Conditions</h2><table>${troubles.join("")}</table>`,
  ].join("\n");
}

function section(key: string, network: NetworkResource | undefined, vertices: readonly Vertex[]): string {
  const { conditions = [], height } = network?.status ?? {};
  const ready = conditions.find(({ type }) => type === "Ready");
  const facts = [
    height === undefined ? undefined : `block ${height}`,
    ready && `${ready.reason}: ${ready.message}`,
    vertices.length > MAX_DRAWN ? `the first ${MAX_DRAWN} of ${vertices.length} replicas` : undefined,
  ].filter((fact) => fact !== undefined);
  return `<section><h2>${escapeHtml(key)}</h2><p>${escapeHtml(facts.join("; "))}</p>${picture(vertices.slice(0, MAX_DRAWN))}</section>`;
}

/** Draws a column for each node type, a box for each replica and a line for each pair of required peers. */
function picture(vertices: readonly Vertex[]): string {
  if (vertices.length === 0) return "";
  const columns = COLUMNS.map((type) => vertices.filter((vertex) => vertex.type === type)).filter(
    (column) => column.length > 0,
  );
  const places = new Map(
    columns.flatMap((column, x) =>
      column.map(
        (vertex, y) =>
          [vertex.id, { x: MARGIN + x * COLUMN_WIDTH, y: MARGIN + y * ROW_HEIGHT, vertex }] as const,
      ),
    ),
  );
  const lines = edgesBetween(vertices).map(([one, other]) => {
    const [a, b] = [places.get(one), places.get(other)];
    if (a === undefined || b === undefined) return "";
    return linePath(...(a.x <= b.x ? ([a, b] as const) : ([b, a] as const)));
  });
  const boxes = [...places.values()].map(({ x, y, vertex: { member } }) => {
    const texts = [member.name, stateText(member)].map(
      (text, row) => `<text x="${x + 10}" y="${y + 18 + 17 * row}">${escapeHtml(text)}</text>`,
    );
    const state = member.ready ? "" : ' class="unready"';
    return `<g${state}><rect x="${x}" y="${y}" width="${BOX_WIDTH}" height="${BOX_HEIGHT}" rx="6"/>${texts.join("")}</g>`;
  });
  const width = columns.length * COLUMN_WIDTH + MARGIN;
  const height = Math.max(...columns.map(({ length }) => length)) * ROW_HEIGHT + MARGIN;
  return `<svg viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">${lines.join("")}${boxes.join("")}</svg>`;
}

/** Draws a line between boxes of two columns, or an arc on the right of the boxes of one. */
function linePath(from: { x: number; y: number }, to: { x: number; y: number }): string {
  const [x, y1, y2] = [from.x + BOX_WIDTH, from.y + BOX_HEIGHT / 2, to.y + BOX_HEIGHT / 2];
  if (from.x !== to.x) return `<path d="M${x} ${y1}L${to.x} ${y2}"/>`;
  const bulge = Math.min(COLUMN_WIDTH - BOX_WIDTH - MARGIN, 20 + Math.abs(y2 - y1) / 3);
  return `<path d="M${x} ${y1}Q${x + bulge} ${(y1 + y2) / 2} ${x} ${y2}"/>`;
}

/** Lists the conditions of a Node that are not as they should be, as rows. */
function troublesOf({ meta, status }: NodeResource): readonly string[] {
  return (status.conditions ?? [])
    .filter(({ type, status: value }) =>
      type === "Degraded" ? value === "True" : type === "Ready" && value !== "True",
    )
    .map(
      ({ reason, message }) =>
        `<tr><td>${escapeHtml(keyOf(meta))}<td>${escapeHtml(reason)}<td>${escapeHtml(message)}`,
    );
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? "");
}
