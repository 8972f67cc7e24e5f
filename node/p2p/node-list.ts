/** Peers from a file: a JSON array of node URLs, as `static-nodes.json` and `trusted-nodes.json` hold. */
import { readFile } from "node:fs/promises";
import type { Log } from "../observe/log.ts";
import { P2pError } from "./error.ts";
import { formatNodeUrl, type NodeUrl, parseNodeUrl } from "./node-url.ts";

/** The nodes of URLs that `origin` gave; those that are none are told to the log and left out. */
export function parseNodes(urls: readonly string[], origin: string, log: Log): NodeUrl[] {
  return urls.flatMap((url) => {
    if (url === "") return [];
    try {
      return [parseNodeUrl(url)];
    } catch (error) {
      log.error({ path: origin, url, error: (error as P2pError).message }, "left out a bad node url");
      return [];
    }
  });
}

/** The boot nodes of URLs; one without an address, or without a UDP port, cannot be asked and is left out. */
export function parseBootNodes(urls: readonly string[], log: Log): NodeUrl[] {
  return parseNodes(urls, "--bootnodes", log).filter((node) => {
    const usable = node.host !== undefined && node.udpPort !== 0 && node.tcpPort !== 0;
    if (!usable) log.error({ url: formatNodeUrl(node) }, "left out a boot node without address or port");
    return usable;
  });
}

/**
 * The nodes of a file; none when there is no such file. Entries that are no node URL are told to the log and left
 * out. Throws `P2pError` `bad-node-list` for a file that cannot be read or is no array of texts.
 */
export async function readNodeList(path: string, log: Log): Promise<NodeUrl[]> {
  const text = await readFile(path, "utf8").catch((cause: NodeJS.ErrnoException) => {
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
