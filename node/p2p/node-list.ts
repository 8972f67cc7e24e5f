/**
 * Node lists from files (`static-nodes.json` and `trusted-nodes.json`, JSON arrays of node URLs) and from
 * flags.
 */
import type { Log } from "../observe/log.ts";
import { readBoundedText } from "../runtime/bounded-file.ts";
import { P2pError } from "./error.ts";
import { formatNodeUrl, type NodeUrl, parseNodeUrl } from "./node-url.ts";

/** Maximum bytes of a list: some 20,000 nodes. */
const MAX_BYTES = 4 * 1024 * 1024;

/** Parses node URLs. An invalid URL is logged with its `origin` and left out. */
export function parseNodes(urls: readonly string[], origin: string, log: Log): NodeUrl[] {
  return urls.flatMap((url) => {
    if (url === "") return [];
    try {
      return [parseNodeUrl(url)];
    } catch (error) {
      log.error({ path: origin, url, error: (error as P2pError).message }, "skipped an invalid node URL");
      return [];
    }
  });
}

/** Parses the URLs of boot nodes. One without an address or a UDP port is logged and left out. */
export function parseBootNodes(urls: readonly string[], log: Log): NodeUrl[] {
  return parseNodes(urls, "--bootnodes", log).filter((node) => {
    const usable = node.host !== undefined && node.udpPort !== 0 && node.tcpPort !== 0;
    if (!usable) log.error({ url: formatNodeUrl(node) }, "skipped a boot node without address or port");
    return usable;
  });
}

/**
 * Reads a node list. Returns an empty list when the file does not exist. Invalid entries are logged and left
 * out. Throws `P2pError` `bad-node-list` for a file that is unreadable or no JSON array of strings.
 */
export async function readNodeList(path: string, log: Log): Promise<NodeUrl[]> {
  const text = await readBoundedText(path, MAX_BYTES).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === "ENOENT") return "[]";
    throw new P2pError("bad-node-list", `cannot read ${path}: ${cause.message}`, { cause });
  });
  return parseNodes(parseNodeList(text, path), path, log);
}

function parseNodeList(text: string, path: string): string[] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (cause) {
    throw new P2pError("bad-node-list", `${path} is not JSON`, { cause });
  }
  if (!Array.isArray(parsed) || !parsed.every((url) => typeof url === "string"))
    throw new P2pError("bad-node-list", `${path} is not a JSON array of node URLs`);
  return parsed;
}
