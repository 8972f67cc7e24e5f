/** Recipients of blocks and transactions by node type. */
import { expect, test } from "@jest/globals";
import type { NodeType } from "../../../node/p2p/node-type.ts";
import {
  blockRecipients,
  type Recipient,
  resendRecipients,
  transactionRecipients,
} from "../../../node/protocol/recipients.ts";
import { seededRandom } from "../../support/random.ts";

const randomFraction = seededRandom(1);

function peers(counts: Partial<Record<NodeType, number>>): Recipient[] {
  return Object.entries(counts).flatMap(([type, count]) =>
    Array.from({ length: count }, () => ({ type: type as NodeType })),
  );
}

function countOf(chosen: readonly Recipient[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { type } of chosen) counts[type] = (counts[type] ?? 0) + 1;
  return counts;
}

test("a consensus node sends blocks to all consensus nodes and five proxies, the hash to all other peers", () => {
  const { full, hash } = blockRecipients("cn", peers({ cn: 7, pn: 9, en: 4 }), randomFraction);
  expect(countOf(full)).toEqual({ cn: 7, pn: 5 });
  expect(countOf(hash)).toEqual({ pn: 4, en: 4 });
});

test("a proxy sends blocks to a sample of proxies and endpoint nodes, and the hash to all other peers", () => {
  const { full, hash } = blockRecipients("pn", peers({ cn: 5, pn: 9, en: 16 }), randomFraction);
  expect(full).toHaveLength(5);
  expect(hash).toHaveLength(25);
  expect(countOf(full)["cn"]).toBeUndefined();
  expect(countOf([...full, ...hash])).toEqual({ cn: 5, pn: 9, en: 16 });
});

test("an endpoint node sends blocks to endpoint nodes only, to all of them when there are two", () => {
  const { full, hash } = blockRecipients("en", peers({ cn: 1, pn: 2, en: 2 }), randomFraction);
  expect(countOf(full)).toEqual({ en: 2 });
  expect(countOf(hash)).toEqual({ cn: 1, pn: 2 });
  const many = blockRecipients("en", peers({ en: 5 }), randomFraction);
  expect([many.full.length, many.hash.length]).toEqual([3, 2]);
});

test("no peer gets a block twice", () => {
  const { full, hash } = blockRecipients("cn", peers({ cn: 20, pn: 20, en: 20 }), randomFraction);
  expect(new Set([...full, ...hash]).size).toBe(60);
});

test("transactions go towards validators: from endpoint nodes to all, from proxies to two validators and all proxies", () => {
  const all = peers({ cn: 6, pn: 4, en: 3 });
  expect(countOf(transactionRecipients("en", all, randomFraction))).toEqual({ cn: 6, pn: 4, en: 3 });
  expect(countOf(transactionRecipients("pn", all, randomFraction))).toEqual({ cn: 2, pn: 4 });
  expect(countOf(transactionRecipients("cn", all, randomFraction))).toEqual({ cn: 5 });
});

test("pending transactions are sent again to the two peers nearest to the validators", () => {
  const options = { max: 2, randomFraction };
  const chosen = (own: NodeType, counts: Partial<Record<NodeType, number>>): Record<string, number> =>
    countOf(resendRecipients(own, peers(counts), options));
  expect(chosen("cn", { cn: 4 })).toEqual({});
  expect(chosen("pn", { cn: 4, pn: 4 })).toEqual({ cn: 2 });
  expect(chosen("pn", { pn: 4, en: 3 })).toEqual({ pn: 2 });
  expect(chosen("en", { cn: 1, pn: 4, en: 3 })).toEqual({ cn: 1, pn: 1 });
  expect(chosen("en", { en: 3 })).toEqual({ en: 2 });
});

test("boot nodes and unknown types get nothing", () => {
  const others = peers({ bn: 2, unknown: 2 });
  for (const own of ["cn", "pn", "en"] as const) {
    expect(transactionRecipients(own, others, randomFraction)).toEqual([]);
    expect(resendRecipients(own, others, { max: 2, randomFraction })).toEqual([]);
  }
});
