/** A node as its gateway sees it: a socket that answers what the operator asks. Its chain is a clock. */
import { createServer, type Socket } from "node:net";
import { createInterface } from "node:readline";

/** A socket that answers. Disposing it closes it. */
export interface PlayedNode extends AsyncDisposable {
  readonly socketPath: string;
  /** Number of peers. */
  peers(): number;
  /** Number of calls of admin_addPeer. */
  tellings(): number;
  /** Loses all peers, as a split of the network would have it. */
  losePeers(): void;
}

interface Call {
  readonly method: string;
  readonly params?: readonly unknown[];
}

const BLOCK_MS = 1_000;
const began = Date.now();

/** Opens the socket of the node with this id, 128 hex digits. */
export async function openPlayedNode(socketPath: string, id: string): Promise<PlayedNode> {
  const peers = new Map<string, { readonly id: string }>();
  let tellings = 0;
  const answers: Readonly<Record<string, (params: readonly unknown[]) => unknown>> = {
    admin_nodeInfo: () => ({ id, name: "knit/played" }),
    admin_peers: () => [...peers.values()],
    chain_blockNumber: () => `0x${Math.floor((Date.now() - began) / BLOCK_MS).toString(16)}`,
    chain_syncing: () => false,
    net_peerCountByType: () => ({ total: peers.size }),
    admin_addPeer: ([url]) => Boolean(peers.set(idIn(url), { id: idIn(url) })),
    admin_removePeer: ([url]) => peers.delete(idIn(url)),
  };
  const answer = (socket: Socket, text: string): void => {
    const { method, params = [] } = JSON.parse(text) as Call; // from the gateway, which has checked it
    if (method.endsWith("Peer")) tellings++;
    const result = answers[method]?.(params);
    const reported =
      result === undefined ? { error: { code: -32_601, message: `no ${method} here` } } : { result };
    socket.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, ...reported })}\n`);
  };
  const server = createServer((socket) => {
    socket.on("error", () => socket.destroy());
    const lines = createInterface({ input: socket }).on("line", (line) => answer(socket, line));
    lines.on("error", () => lines.close()); // the socket's, told again
  });
  const { promise: listening, resolve, reject } = Promise.withResolvers<void>();
  server.once("error", reject).listen(socketPath, resolve);
  await listening;
  return {
    socketPath,
    peers: () => peers.size,
    tellings: () => tellings,
    losePeers: () => peers.clear(),
    [Symbol.asyncDispose]: async () => void server.close(),
  };
}

function idIn(url: unknown): string {
  return /^kni:\/\/([0-9a-fA-F]{128})@/.exec(String(url))?.[1]?.toLowerCase() ?? "";
}
