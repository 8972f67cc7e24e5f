/** Peers from a file: a JSON array of node URLs, as `static-nodes.json` and `trusted-nodes.json` hold. */
import { readFile } from "node:fs/promises";
import type { Log } from "../observe/log.ts";
import { P2pError } from "./error.ts";
import { type NodeUrl, parseNodeUrl } from "./node-url.ts";

/**
 * The nodes of a file; none when there is no such file. Entries that are no node URL are told to the log and left
 * out. Throws `P2pError` `bad-node-list` for a file that cannot be read or is no array of texts.
 */
export async function readNodeList(path: string, log: Log): Promise<NodeUrl[]> {
  const text = await readFile(path, "utf8").catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === "ENOENT") return "[]";
    throw new P2pError("bad-node-list", `cannot read ${path}: ${cause.message}`, { cause });
  });
  return parseNodeList(text, path).flatMap((url) => {
    if (url === "") return [];
    try {
      return [parseNodeUrl(url)];
    } catch (error) {
      log.error({ path, url, error: (error as P2pError).message }, "left out a bad node url");
      return [];
    }
  });
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
