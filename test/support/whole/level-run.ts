/**
 * Nodes that find their peers by boot nodes alone, in virtual time: `node test/support/whole/level-run.ts alone` starts one
 * validator without a peer, `liars` four among strangers who claim blocks that do not exist, `traitors` five whose other
 * two validators claim such blocks again and again, `endpoint` four and an endpoint among ten strangers, which learns of
 * blocks by their hashes. Liars come back as often as they are dropped: strangers with new keys. Prints a line of JSON.
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

type Scene = "alone" | "liars" | "traitors" | "endpoint";

/** Nodes of each scene, and its liars at each node: while one is dropped others claim. */
const SCENES: Readonly<Record<Scene, { cores: number; endpoints: number; traitors: number; liars: number }>> =
  {
    alone: { cores: 1, endpoints: 0, traitors: 3, liars: 0 },
    liars: { cores: 4, endpoints: 0, traitors: 0, liars: 3 },
    traitors: { cores: 5, endpoints: 0, traitors: 2, liars: 2 },
    endpoint: { cores: 4, endpoints: 1, traitors: 0, liars: 10 },
  };
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
const scene = process.argv[2] as Scene; // a developer's or a test's word
const { cores, endpoints, traitors, liars } = SCENES[scene];
const seats = Array.from({ length: cores + endpoints }, (_, index) => aSeat(index));
/** Validators are the cores and, behind all seats, the traitors. */
const traitorKeys = Array.from({ length: traitors }, (_, index) => aSeat(seats.length + index).key);
const validators = [...seats.slice(0, cores).map(({ key }) => key), ...traitorKeys].map(
  ({ address }) => address,
);
const genesis = genesisOf(validators, Date.now());
const sessions = new Map<string, SimulatedSession>();
let strangers = 0;

function aSeat(index: number): SimulatedSeat {
  const key = nodeKeyOf(keccak256(Buffer.from(`knit/level/${index}`)));
  return {
    index,
    type: index >= cores && index < cores + endpoints ? "endpoint" : "core",
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

/** A stranger, or one of the traitors, that claims blocks and answers nothing. */
function aLiar({ open: { chain }, end }: SimulatedNode, place: number): SimulatedNode["end"] {
  const deceive = async (link: ProtocolPeer): Promise<void> => {
    const status = ownStatus(chain, CHAIN_ID, link.version);
    await exchangeStatus(link, { ...status, td: status.td + CLAIMED_BLOCKS }, RUN_MS);
    while ((await link.next()) !== undefined);
  };
  const traitor = scene === "traitors" ? traitorKeys[place] : undefined;
  const key = traitor ?? nodeKeyOf(keccak256(Buffer.from(`knit/level/liar/${strangers}`)));
  strangers++;
  const protocol = { ...end.protocol, run: deceive };
  return { ...end, index: 100, type: traitor === undefined ? "en" : "cn", key, protocol };
}

function connect(name: string, first: SimulatedNode["end"], second: () => SimulatedNode["end"]): void {
  if (sessions.get(name)?.isOpen === true) return;
  sessions.set(name, connectEnds(time, network, [first, second()]));
}

/** Connects the nodes, and liars to the endpoints, or to validators where there are none. */
function connectAll(nodes: readonly SimulatedNode[], liarCount: number): void {
  for (const node of nodes) {
    if (node.end.index >= cores || endpoints === 0)
      for (let each = 0; each < liarCount; each++)
        connect(`${node.end.index}-liar${"x".repeat(each)}`, node.end, () => aLiar(node, each));
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
    if (scene !== "alone") connectAll(nodes, Math.min(liars, 1 + Math.floor(step / LATER_STEPS)));
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
