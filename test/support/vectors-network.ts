/** Recorded connections: handshakes, frames and chain messages, and which chain they say that they are on. */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { bareHex, fromBareHex } from "../../node/bytes/hex.ts";
import { messages } from "../../node/protocol/messages.ts";
import { readRecording, replayConnections } from "./network-vectors.ts";
import { replayMessages } from "./protocol-vectors.ts";
import { type Comparison, Tally } from "./tally.ts";
import { blockOfGenesis } from "./vectors-genesis.ts";

/** Chain messages come after those of the base protocol. */
const STATUS = 16 + messages.status.code;

/** Judges a file of connections, with the network's genesis.json when that is beside it. */
export async function networkFile(path: string): Promise<Comparison> {
  const tally = new Tally();
  tally.add("connections", replayConnections(path));
  tally.add("messages", await replayMessages(path));
  const genesis = join(dirname(path), "genesis.json");
  if (existsSync(genesis)) {
    await tally.awaited("genesis.json", () => genesisFile(tally, path, readFileSync(genesis, "utf8")));
  }
  return tally.comparison;
}

async function genesisFile(tally: Tally, path: string, text: string): Promise<void> {
  const hash = bareHex((await blockOfGenesis(text)).hash);
  for (const [index, { events }] of readRecording(path).connections.entries()) {
    for (const event of events) {
      if (!("code" in event) || event.code !== STATUS) continue;
      const named = () => bareHex(messages.status.decode(fromBareHex(event.payload)).genesisHash);
      tally.holds(`connection ${index}: ${event.t} status: genesis`, named, hash);
    }
  }
}
