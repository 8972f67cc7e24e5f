/**
 * Status exchange, the first message of each side: both nodes must be on the same chain and speak the same
 * version.
 */
import { equalBytes } from "../bytes/compare.ts";
import { toHex } from "../bytes/hex.ts";
import type { Chain } from "../chain/chain.ts";
import { P2pError } from "../p2p/error.ts";
import type { ProtocolMessage, ProtocolPeer } from "../p2p/protocol.ts";
import type { Status } from "./codecs.ts";
import { ProtocolError } from "./error.ts";
import { messages } from "./messages.ts";

/** Returns the status of this node for a version of the protocol. */
export function ownStatus(
  chain: Pick<Chain, "config" | "genesisHash" | "head" | "totalBlockScore">,
  networkId: number,
  version: number,
): Status {
  const { header, hash } = chain.head();
  return {
    version,
    networkId: BigInt(networkId),
    td: chain.totalBlockScore(header.number),
    headHash: hash,
    genesisHash: chain.genesisHash,
    chainId: chain.config.chainId,
  };
}

/**
 * Throws `ProtocolError` `wrong-chain` for the first difference, in the order of the Go node (`readStatus` in
 * node/cn/peer.go@v2.2.2).
 */
export function checkStatus(own: Status, theirs: Status): void {
  if (!equalBytes(own.genesisHash, theirs.genesisHash)) {
    throw different("genesis block", toHex(own.genesisHash), toHex(theirs.genesisHash));
  }
  if (own.networkId !== theirs.networkId) throw different("network id", own.networkId, theirs.networkId);
  if (own.chainId !== theirs.chainId) throw different("chain id", own.chainId, theirs.chainId);
  if (own.version !== theirs.version) throw different("protocol version", own.version, theirs.version);
}

function different(what: string, ours: bigint | number | string, theirs: bigint | number | string): Error {
  return new ProtocolError("wrong-chain", `the peer has another ${what}: ${theirs}, we have ${ours}`);
}

/** Sends our status and checks the peer's. Rejects with the difference, or with `P2pError` `timeout`. */
export async function exchangeStatus(link: ProtocolPeer, own: Status, timeoutMs: number): Promise<Status> {
  const { status } = messages;
  if (!link.send(status.code, status.encode(own))) throw peerGone();
  const first = await firstMessage(link, timeoutMs);
  if (first === undefined) throw peerGone();
  if (first.code !== status.code) {
    throw new ProtocolError("bad-message", `the first message has code ${first.code} instead of a status`);
  }
  const theirs = status.decode(first.payload);
  checkStatus(own, theirs);
  return theirs;
}

async function firstMessage(link: ProtocolPeer, timeoutMs: number): Promise<ProtocolMessage | undefined> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    reject(new P2pError("timeout", `no status within ${timeoutMs} ms`, { reason: "read-timeout" }));
  }, timeoutMs);
  try {
    return await Promise.race([link.next(), promise]);
  } finally {
    clearTimeout(timer);
  }
}

function peerGone(): ProtocolError {
  return new ProtocolError("gone", "the peer left before its status");
}
