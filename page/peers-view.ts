/** The peers of the node as a graph and as a table. Names of peers are foreign text. */
import { type ComponentChildren, h } from "preact";
import { show, table, useLoad, type ViewProps } from "./parts.ts";
import { call, type Json, text } from "./rpc.ts";

/** Peers in the graph; the table has all of them. */
const MAX_DRAWN = 48;
const WIDTH = 720;
const HEIGHT = 420;
const RADIUS = 150;

/** A connected node. */
interface Peer {
  readonly id: string;
  readonly type: string;
  readonly name: string;
  readonly address: string;
  readonly isInbound: boolean;
}

/** The peers, or their numbers by type where the listener does not serve `admin`. */
export function PeersView({ tick }: ViewProps): ComponentChildren {
  const loaded = useLoad(async () => {
    const counts = await call<Json>("net_peerCountByType");
    const peers = await call<Json[]>("admin_peers").catch(() => undefined);
    return { counts, peers: peers?.map(peerOf) };
  }, [tick]);
  return show(loaded, ({ counts, peers }) =>
    h("section", null, [
      h("h2", null, "Peers"),
      table(
        ["Type", "Peers"],
        Object.entries(counts).map(([type, count]) => [typeName(type), String(count)]),
      ),
      peers === undefined
        ? h("p", null, "The node shows its peers with the module admin (--rpcapi).")
        : [graph(peers), peersTable(peers)],
    ]),
  );
}

/** Names of the types in the Go node. */
const TYPES: Readonly<Record<string, string>> = { cn: "core", pn: "proxy", en: "endpoint", bn: "boot node" };

function typeName(type: unknown): string {
  const name = text(type);
  return Object.hasOwn(TYPES, name) ? (TYPES[name] ?? name) : name;
}

function peerOf(json: Json): Peer {
  const [network] = (json["networks"] as Json[] | undefined) ?? [json["network"] as Json];
  return {
    id: text(json["id"]),
    name: text(json["name"]),
    type: typeName(network?.["nodeType"]),
    address: text(network?.["remoteAddress"]),
    isInbound: network?.["inbound"] === true,
  };
}

function graph(peers: readonly Peer[]): ComponentChildren {
  if (peers.length === 0) return h("p", null, "No peer is connected.");
  const drawn = peers.slice(0, MAX_DRAWN);
  const places = drawn.map((peer, i) => {
    const angle = (2 * Math.PI * i) / drawn.length - Math.PI / 2;
    return { peer, x: WIDTH / 2 + 1.7 * RADIUS * Math.cos(angle), y: HEIGHT / 2 + RADIUS * Math.sin(angle) };
  });
  const label = `This node and ${drawn.length} of ${peers.length} peers; dashed lines are inbound`;
  return h("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": label, class: "graph" }, [
    places.map(({ peer, x, y }) =>
      h("line", {
        x1: WIDTH / 2,
        y1: HEIGHT / 2,
        x2: x,
        y2: y,
        class: peer.isInbound ? "inbound" : undefined,
      }),
    ),
    spot(WIDTH / 2, HEIGHT / 2, "this node"),
    places.map(({ peer, x, y }) => spot(x, y, `${peer.type} ${peer.id.slice(0, 8)}`)),
  ]);
}

function spot(x: number, y: number, label: string): ComponentChildren {
  return h("g", null, [
    h("circle", { cx: x, cy: y, r: 9 }),
    h("text", { x, y: y + 28, "text-anchor": "middle" }, label),
  ]);
}

function peersTable(peers: readonly Peer[]): ComponentChildren {
  return table(
    ["Peer", "Type", "Program", "Address", "Direction"],
    peers.map((peer) => [
      h("span", { class: "mono" }, peer.id.slice(0, 16)),
      peer.type,
      peer.name,
      peer.address,
      peer.isInbound ? "inbound" : "outbound",
    ]),
  );
}
