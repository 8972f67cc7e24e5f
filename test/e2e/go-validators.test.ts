/**
 * Two validators of ours and two Go nodes agree on proposers and committees, for each policy and for committees smaller
 * and larger than the set. Needs the path of a Go core node in KNIT_PEER_KCN.
 */
import { expect } from "@jest/globals";
import { toHex } from "../../node/bytes/hex.ts";
import type { ConsensusChoice } from "../../scripts/network/genesis.ts";
import type { NetworkNode } from "../../scripts/network/network.ts";
import { GO_BINARY } from "../support/go-node.ts";
import { goTests } from "../support/go-peer.ts";
import { reachHeight } from "../support/network-answers.ts";
import { testNetworks } from "../support/test-network.ts";

/** Blocks of each network: enough for Randao to draw all four; nodes that name different proposers make eight in three minutes. */
const BLOCKS = Number(process.env["KNIT_PEER_BLOCKS"] ?? 40);
const TIMEOUT_MS = 100_000 + 2_000 * BLOCKS;
const VALIDATORS = 4;
const STICKY = 1;

/** Selection of a block as a node reports it. */
interface Selection {
  readonly hash: string;
  readonly round: number;
  readonly proposer: string;
  readonly committee: readonly string[];
}

async function selectionOf({ ask }: NetworkNode, number: number): Promise<Selection> {
  const block = await ask("klay_getBlockWithConsensusInfoByNumber", `0x${number.toString(16)}`);
  const { hash, round, proposer, committee } = block as Selection;
  // Nodes list a committee in different orders.
  return { hash, round, proposer: proposer.toLowerCase(), committee: committee.map(lower).sort() };
}

function lower(text: string): string {
  return text.toLowerCase();
}

/** The selections of a network's blocks, which all of its nodes report alike. */
async function commonSelections(
  nodes: readonly NetworkNode[],
  blocks: number,
): Promise<readonly Selection[]> {
  await reachHeight(nodes, blocks);
  const selections: Selection[] = [];
  for (let number = 1; number <= blocks; number++) {
    const [first, ...others] = await Promise.all(nodes.map((node) => selectionOf(node, number)));
    if (first === undefined) throw new Error("a network has a node");
    for (const other of others) expect({ number, ...other }).toEqual({ number, ...first });
    selections.push(first);
  }
  return selections;
}

const networks = testNetworks("go-validators");

async function agreeUnder(consensus: ConsensusChoice): Promise<void> {
  const size = { core: VALIDATORS, proxy: 0, endpoint: 0 };
  const network = await networks.open({ size, consensus, go: { core: 2, binary: GO_BINARY } });
  const selections = await commonSelections(network.nodes, BLOCKS);
  const changed = selections.filter(({ round }) => round > 0).length;
  process.stdout.write(`${JSON.stringify(consensus)}: ${BLOCKS} blocks, ${changed} after a round change\n`);
  checkCommittees(selections, consensus);
  if (consensus.policy === STICKY) checkStickyProposers(selections);
  else checkProposers(selections, network.nodes);
}

function checkCommittees(selections: readonly Selection[], { committeeSize = 0 }: ConsensusChoice): void {
  const size = Math.min(VALIDATORS, committeeSize);
  expect(selections.map(({ committee }) => committee.length)).toEqual(selections.map(() => size));
}

/** A sticky proposer changes with the round alone. */
function checkStickyProposers(selections: readonly Selection[]): void {
  const later = selections.slice(1);
  const expected = later.map(({ round, proposer }, i) => (round > 0 ? proposer : selections[i]?.proposer));
  expect(later.map(({ proposer }) => proposer)).toEqual(expected);
}

function checkProposers(selections: readonly Selection[], nodes: readonly NetworkNode[]): void {
  const proposers = new Set(selections.map(({ proposer }) => proposer));
  expect([...proposers].sort()).toEqual(nodes.map(({ key }) => toHex(key.address)).sort());
}

const [needed, reason] = goTests();
if (GO_BINARY === "") process.stderr.write("go-validators: skipped, KNIT_PEER_KCN names no Go node\n");

const POLICIES: readonly (readonly [string, ConsensusChoice])[] = [
  ["round robin", { policy: 0 }],
  ["sticky", { policy: STICKY }],
  ["weighted random", { policy: 2 }],
  ["weighted random with Randao", { policy: 2, randao: true }],
];

needed.each(POLICIES)(
  `two Go nodes and two of ours make blocks by all four, and agree on each, all in the committee: %s${reason}`,
  (_name, consensus) => agreeUnder({ ...consensus, committeeSize: 22 }),
  TIMEOUT_MS,
);

needed.each(POLICIES)(
  `two Go nodes and two of ours make blocks by all four, and agree on each, committees of three: %s${reason}`,
  (_name, consensus) => agreeUnder({ ...consensus, committeeSize: 3 }),
  TIMEOUT_MS,
);
