/**
 * Validators that find their peers by boot nodes alone, in virtual time: `node test/support/whole/level-run.ts alone` starts
 * one without a peer, `liars` starts four among strangers who claim blocks that do not exist. Prints a line of JSON.
 */
import { readRecord } from "../../../node/consensus/bft/signing-record.ts";
import { keccak256 } from "../../../node/crypto/keccak.ts";
import { silentLog } from "../../../node/observe/log.ts";
import { nodeKeyOf } from "../../../node/p2p/node-key.ts";
import type { ProtocolPeer } from "../../../node/p2p/protocol.ts";
import { exchangeStatus, ownStatus } from "../../../node/protocol/status.ts";
import { seededRandom } from "../random.ts";
import { SimulatedDisk } from "./simulated-disk.ts";
import { connectEnds, type SimulatedSession } from "./simulated-network.ts";
import { openSimulatedNode, type SimulatedNode, type SimulatedSeat } from "./simulated-node.ts";
import { VirtualTime } from "./virtual-time.ts";
import { CHAIN_ID, genesisOf } from "./whole-chain.ts";

const CORES = 4;
/** Strangers at each validator: while one is dropped others claim. */
const LIARS = 3;
const CLAIMED_BLOCKS = 1_000_000n;
const RUN_MS = 150_000;
const STEP_MS = 100;
/** Steps between the first strangers, so that they are not dropped at one moment. */
const LATER_STEPS = 50;

const random = seededRandom(7);
const time = new VirtualTime(random);
time.install();
const life = { isOver: false };
const network = { delayMs: () => 1, cutUntil: () => undefined };
const isAmongLiars = process.argv[2] === "liars";
const seats = Array.from({ length: isAmongLiars ? CORES : 1 }, (_, index) => aSeat(index));
const validators = Array.from({ length: CORES }, (_, index) => aSeat(index).key.address);
const genesis = genesisOf(validators, Date.now());
const sessions = new Map<string, SimulatedSession>();
let strangers = 0;

function aSeat(index: number): SimulatedSeat {
  const key = nodeKeyOf(keccak256(Buffer.from(`knit/level/${index}`)));
  return {
    index,
    type: "core",
    key,
    disk: new SimulatedDisk(random, false),
    clock: { now: () => Date.now() },
  };
}

function diskFaults() {
  return { delayMs: () => 1, onWrite: () => undefined, isRefusing: () => false };
}

function openNode(seat: SimulatedSeat): Promise<SimulatedNode> {
  return openSimulatedNode(seat, {
    genesis,
    access: { time, life, faults: diskFaults() },
    room: { isLow: false, room: () => Promise.resolve() },
    random,
    log: silentLog,
    onSend: () => undefined,
    peerCount: () =>
      [...sessions].filter(([name, { isOpen }]) => isOpen && name.includes(`${seat.index}`)).length,
    minHeight: 0,
    hasStaticPeers: false,
  });
}

/** A stranger that claims blocks and answers nothing. */
function aLiar({ open: { chain }, end }: SimulatedNode): SimulatedNode["end"] {
  const deceive = async (link: ProtocolPeer): Promise<void> => {
    const status = ownStatus(chain, CHAIN_ID, link.version);
    await exchangeStatus(link, { ...status, td: status.td + CLAIMED_BLOCKS }, RUN_MS);
    while ((await link.next()) !== undefined);
  };
  const key = nodeKeyOf(keccak256(Buffer.from(`knit/level/liar/${strangers++}`)));
  return { ...end, index: 100, type: "en", key, protocol: { ...end.protocol, run: deceive } };
}

function connect(name: string, first: SimulatedNode["end"], second: () => SimulatedNode["end"]): void {
  if (sessions.get(name)?.isOpen === true) return;
  sessions.set(name, connectEnds(time, network, [first, second()]));
}

function connectAll(nodes: readonly SimulatedNode[], liars: number): void {
  for (const node of nodes) {
    for (let each = 0; each < liars; each++)
      connect(`${node.end.index}-liar${"x".repeat(each)}`, node.end, () => aLiar(node));
    for (const other of nodes)
      if (node.end.index < other.end.index)
        connect(`${node.end.index}-${other.end.index}`, node.end, () => other.end);
  }
}

async function run(): Promise<void> {
  const nodes = await Promise.all(seats.map(openNode));
  const begin = time.now;
  let firstBlockMs: number | undefined;
  nodes[0]?.open.chain.onHead(() => (firstBlockMs ??= time.now - begin));
  for (let step = 0; time.now - begin < RUN_MS; step++) {
    if (isAmongLiars) connectAll(nodes, Math.min(LIARS, 1 + Math.floor(step / LATER_STEPS)));
    await time.wait(STEP_MS, life);
  }
  const signed = seats.map(
    ({ disk }) => readRecord(disk.open("chain", { time, life, faults: diskFaults() }))?.signed !== undefined,
  );
  const blocks = nodes.map(({ open: { chain } }) => chain.head().header.number);
  process.stdout.write(`${JSON.stringify({ signed, blocks, firstBlockMs, strangers })}\n`);
}

process.on("unhandledRejection", (error) => {
  process.stderr.write(`${String(error)}\n`);
  process.exit(1);
});
await time.run(run(), 10 * RUN_MS);
process.exit(0);
