/** Files of a network of containers: a compose file and a data directory for each node. */
import type { NetworkFile } from "./files.ts";
import { openFile } from "./files.ts";
import { dataFiles, type Ports, TYPES } from "./local.ts";
import type { MadeNetwork, MadeNode } from "./network.ts";

/** Image, ports and user of the containers. The user owns the data directories. */
export interface ComposeOptions {
  readonly image: string;
  readonly user: { readonly uid: number; readonly gid: number };
  /** First ports on the machine; inside the containers every node has the default ports. */
  readonly ports: Ports;
}

const SUBNET = "172.16.239";
/** Last octet of the first node's address. */
const FIRST_HOST = 10;
const INSIDE: Ports = { peers: 32_323, http: 8551, ws: 8552 };

/** Returns the data directories and the compose file. */
export function composeFiles(network: MadeNetwork, options: ComposeOptions): readonly NetworkFile[] {
  const { nodes } = network;
  const data = dataFiles(network, (node) => [hostOf(node), INSIDE.peers]);
  const services = Object.fromEntries(nodes.map((node) => [node.name, service(node, options)]));
  const networks = { app_net: { driver: "bridge", ipam: { config: [{ subnet: `${SUBNET}.0/24` }] } } };
  // JSON is YAML, and needs no rules about quoting
  const text = `# docker compose up; the chains are in data/\n${JSON.stringify({ services, networks }, undefined, 2)}\n`;
  return [...data, openFile("docker-compose.yml", text)];
}

function hostOf({ place }: MadeNode): string {
  return `${SUBNET}.${FIRST_HOST + place}`;
}

function service(node: MadeNode, { image, user, ports }: ComposeOptions): object {
  const { name, kind, place } = node;
  const knit = "node /app/dist/node/main.js";
  const flags = [
    `--type ${TYPES[kind]}`,
    "--datadir /data",
    `--port ${INSIDE.peers}`,
    "--nodiscover",
    `--rpc --rpcaddr 0.0.0.0 --rpcport ${INSIDE.http} --rpcvhosts '*' --rpcapi chain,eth,klay,net,web3,txpool`,
    `--ws --wsaddr 0.0.0.0 --wsport ${INSIDE.ws} --wsapi chain,eth,klay,net,web3,txpool`,
    "--metrics --prometheus",
  ].join(" ");
  return {
    image,
    user: `${user.uid}:${user.gid}`,
    init: true,
    entrypoint: ["sh", "-ec"],
    command: [`${knit} init --datadir /data /genesis.json; exec ${knit} run ${flags}`],
    volumes: [`./data/${name}:/data`, "./scripts/genesis.json:/genesis.json:ro"],
    ports: [
      `127.0.0.1:${ports.peers + place}:${INSIDE.peers}`,
      `127.0.0.1:${ports.http + 2 * place}:${INSIDE.http}`,
      `127.0.0.1:${ports.ws + 2 * place}:${INSIDE.ws}`,
    ],
    networks: { app_net: { ipv4_address: hostOf(node) } },
    stop_grace_period: "1m",
    restart: "unless-stopped",
  };
}
