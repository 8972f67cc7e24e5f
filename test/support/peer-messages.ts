/** Small messages of the chain protocol, one of every kind, as nodes send them. */
import { encodeRlp, encodeRlpList } from "../../node/bytes/rlp.ts";
import { sign } from "../../node/crypto/secp256k1.ts";
import { createBid } from "../../node/model/bid.ts";
import { signTransaction } from "../../node/model/transaction.ts";
import { messages } from "../../node/protocol/messages.ts";
import { bareHeader } from "./bare-header.ts";

/** A message. */
export interface PeerMessage {
  readonly code: number;
  readonly payload: Uint8Array;
}

const NOTHING = new Uint8Array(0);
const hash = (byte: number): Uint8Array => new Uint8Array(32).fill(byte);
const address = (byte: number): Uint8Array => new Uint8Array(20).fill(byte);

/** Returns a message of every kind; `head` is a block that the receiver has. */
export function peerMessages(head: Uint8Array = hash(1)): readonly PeerMessage[] {
  const hashes = [head, hash(2)];
  const header = bareHeader({ number: 2, parentHash: head });
  const { raw } = signTransaction(
    {
      code: 0,
      nonce: 0n,
      gas: 21_000n,
      gasFeeCap: 25_000_000_000n,
      gasTipCap: 25_000_000_000n,
      value: 1n,
      to: address(9),
      input: NOTHING,
    },
    1337n,
    (digest) => sign(digest, hash(7)),
  );
  const body = encodeRlpList([raw]);
  const chain = { networkId: 1337n, td: 2n, headHash: head, genesisHash: hash(3), chainId: 1337n };
  const sidecar = { version: 1, blobs: [], commitments: [new Uint8Array(48)], proofs: [] } as const;
  const bid = createBid({
    targetTxHash: hash(4),
    blockNumber: 3,
    sender: address(5),
    to: address(6),
    nonce: 1n,
    bid: 10n ** 18n,
    callGasLimit: 100_000,
    data: hash(7),
    searcherSig: new Uint8Array(65).fill(8),
    auctioneerSig: new Uint8Array(65).fill(9),
  });
  const payloads: Readonly<Record<keyof typeof messages, Uint8Array>> = {
    status: messages.status.encode({ version: 67, ...chain }),
    newBlockHashes: messages.newBlockHashes.encode([{ hash: hash(2), number: 2 }]),
    headerFetchRequest: messages.headerFetchRequest.encode(head),
    headerFetchResponse: messages.headerFetchResponse.encode(header),
    bodiesFetchRequest: messages.bodiesFetchRequest.encode(hashes),
    bodiesFetchResponse: messages.bodiesFetchResponse.encode([body]),
    transactions: messages.transactions.encode([raw]),
    headersRequest: messages.headersRequest.encode({ origin: 0n, amount: 9n, skip: 1n, reverse: false }),
    headers: messages.headers.encode([header]),
    bodiesRequest: messages.bodiesRequest.encode(hashes),
    bodies: messages.bodies.encode([body]),
    newBlock: messages.newBlock.encode({ header, body, td: 3n }),
    nodeDataRequest: messages.nodeDataRequest.encode(hashes),
    nodeData: messages.nodeData.encode([hash(1)]),
    receiptsRequest: messages.receiptsRequest.encode(hashes),
    receipts: messages.receipts.encode([[encodeRlp([Uint8Array.of(1)])]]),
    consensus: messages.consensus.encode({ previousHash: head, message: aConsensusMessage(head) }),
    stakingInfoRequest: messages.stakingInfoRequest.encode(hashes),
    stakingInfo: messages.stakingInfo.encode(encodeRlpList([])),
    bid: messages.bid.encode(bid),
    sidecarsRequest: messages.sidecarsRequest.encode([{ number: 2, index: 0, hash: hash(2) }]),
    sidecars: messages.sidecars.encode([{ number: 2, index: 0, hash: hash(2), sidecar }]),
  };
  return Object.entries(payloads).map(([name, payload]) => ({
    code: messages[name as keyof typeof messages].code, // the names of the record
    payload,
  }));
}

/** A prepare with a signature that is nobody's. */
function aConsensusMessage(parent: Uint8Array): Uint8Array {
  const view = [NOTHING, Uint8Array.of(2)];
  const content = encodeRlp([view, hash(2), parent]);
  return encodeRlp([parent, Uint8Array.of(1), content, address(5), new Uint8Array(65).fill(1), NOTHING]);
}
