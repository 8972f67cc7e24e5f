/** A boot node: it answers nodes that look for others, and is no peer of anybody. */
import { randomBytes } from "node:crypto";
import type { Log } from "../observe/log.ts";
import { systemResolve } from "../p2p/connect.ts";
import { openDiscovery } from "../p2p/discovery/discovery.ts";
import { createAddressFilter } from "../p2p/ip.ts";
import { nodeKeyOf, readNodeKey } from "../p2p/node-key.ts";
import { parseBootNodes, parseNodes } from "../p2p/node-list.ts";
import { formatNodeUrl } from "../p2p/node-url.ts";
import { systemClock } from "../runtime/clock.ts";
import type { BootNodeOptions } from "./boot-node-options.ts";

/** A running boot node. */
export interface BootNode extends AsyncDisposable {
  /** The URL for other nodes' `--bootnodes`; its host is `::` when it listens everywhere and was given no address. */
  readonly kni: string;
}

/** Opens a boot node. Rejects with `NodeKeyError`, or with `P2pError` `cannot-listen`. */
export async function openBootNode(options: BootNodeOptions, log: Log): Promise<BootNode> {
  const { listen, externalIp, networkId } = options;
  const nodeKey = options.nodeKey ? nodeKeyOf(options.nodeKey) : await readNodeKey(options.nodeKeyPath);
  const discovery = await openDiscovery({
    nodeKey,
    type: "bn",
    networkId,
    ...listen,
    announce: { ip: externalIp, tcpPort: undefined },
    bootNodes: parseBootNodes(options.bootNodes, log),
    authorised: parseNodes(options.authorizedNodes, "--authorized-nodes", log),
    allows: createAddressFilter(options.netRestrict),
    resolve: systemResolve,
    clock: systemClock,
    log,
    random: randomBytes,
  });
  const { port } = discovery;
  const kni = formatNodeUrl({
    id: nodeKey.id,
    host: externalIp ?? listen.host ?? "::",
    tcpPort: port,
    udpPort: port,
    tcpPorts: [port],
    type: "bn",
  });
  log.info({ kni, networkId }, "opened boot node");
  return { kni, [Symbol.asyncDispose]: () => discovery[Symbol.asyncDispose]() };
}
