/** One transaction of each of the chain's own types, from one account. */
import { concat, encodeRlp, getCreateAddress, zeroPadValue } from "ethers";
import { COUNTER_CODE } from "../counter-contract.ts";
import type { FundedKey } from "../dev-node.ts";
import type { KaiaClient, KaiaTransaction, Outcome, Sent } from "./kaia-client.ts";

const TO = "0x00000000000000000000000000000000000c0ffe";
const SEVEN = zeroPadValue("0x07", 32);
const PAYMENTS = ["sender", "payer", "both"] as const;

/** Fields of each kind. They are sent in this order, so that there is a contract to execute. */
const KINDS: readonly (readonly [kind: string, fields: (sender: FundedKey) => Partial<KaiaTransaction>])[] = [
  ["SmartContractDeploy", () => ({ data: concat([COUNTER_CODE, SEVEN]) })],
  [
    "SmartContractExecution",
    ({ address: from }) => ({
      to: getCreateAddress({ from, nonce: 0 }),
      data: concat(["0x60fe47b1", SEVEN]),
    }),
  ],
  ["ValueTransfer", () => ({ to: TO, value: 1 })],
  ["ValueTransferMemo", () => ({ to: TO, value: 1, data: "0x6d656d6f" })],
  ["AccountUpdate", ({ key }) => ({ key: { type: "public", key } })],
  ["Cancel", () => ({})],
  ["ChainDataAnchoring", () => ({ data: anAnchor() })],
];

const ALL_TYPES = KINDS.flatMap(([kind, fields]) =>
  PAYMENTS.map((payment) => ({ name: nameOf(kind, payment), payment, fields })),
);

/** The names of the types that a client knows. */
export function typeNames(anchors: boolean): string[] {
  return knownTypes(anchors).map(({ name }) => name);
}

/** Result of a transaction, beside its hash. */
export type SentOutcome = Outcome & { readonly hash: string };

/** Sends one of each known type, then waits for all. The account must be new. */
export async function sendAllTypes(
  client: KaiaClient,
  sender: FundedKey,
  payer: FundedKey,
): Promise<ReadonlyMap<string, SentOutcome>> {
  const sent: (readonly [string, Sent])[] = [];
  const signers = [sender, payer].map(({ address, key }) => ({ address, keys: [key] }));
  const [own = { address: "", keys: [] }, other] = signers;
  for (const { name, payment, fields } of knownTypes(client.anchors)) {
    const ratio = payment === "both" ? { feeRatio: 30 } : {};
    const transaction = { name, from: sender.address, nonce: sent.length, ...ratio, ...fields(sender) };
    const one = await client.send(transaction, own, payment === "sender" ? undefined : other);
    if (sent.length === 0) await one.outcome(); // the pool asks whether there is a contract to execute
    sent.push([name, one]);
  }
  const outcomes = sent.map(
    async ([name, each]) => [name, { hash: each.hash, ...(await each.outcome()) }] as const,
  );
  return new Map(await Promise.all(outcomes));
}

function knownTypes(anchors: boolean): typeof ALL_TYPES {
  return ALL_TYPES.filter(({ name }) => anchors || !name.includes("Anchoring"));
}

function nameOf(kind: string, payment: (typeof PAYMENTS)[number]): string {
  if (payment === "sender") return kind;
  return `FeeDelegated${kind}${payment === "both" ? "WithRatio" : ""}`;
}

/** A block of another chain: five hashes, its number and two counts. */
function anAnchor(): string {
  const hashes = [1, 2, 3, 4, 5].map((byte) => `0x${`0${byte}`.repeat(32)}`);
  return encodeRlp(["0x", encodeRlp([...hashes, "0x01", "0x02", "0x03"])]);
}
