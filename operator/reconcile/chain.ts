/**
 * The volume of a core node: recorded once it contains blocks, and not replaced by an empty one that would
 * start another chain.
 */
import { annotations } from "../api/names.ts";
import type { MemberStatus } from "../api/node-status.ts";
import { keyOf, type NodeResource, readMeta } from "../api/resource.ts";
import { committeeSize, genesisRecord } from "../build/genesis-record.ts";
import { genesisConfigMap, membersOf, objectNames, publicNetworkOf } from "../build/names.ts";
import { kinds } from "../kube/resources.ts";
import { type ChainVolume, isEmpty, isLost, type LossView, lossTrouble } from "../plan/chain-loss.ts";
import { isAllowed } from "../plan/stop.ts";
import { volumeOf } from "./claim-view.ts";
import type { MemberContext } from "./context.ts";
import type { ReconcileDeps } from "./deps.ts";
import { networkOf } from "./group.ts";
import { genesisAddress, recordedAddress } from "./node-key.ts";
import { goOn, type Outcome } from "./outcome.ts";
import { presentObject } from "./present-object.ts";
import { renewalRun } from "./replaced-volume.ts";
import { configText } from "./secret-text.ts";

/** Stops a core node that would start another chain on an empty volume. Others start on one as if they were new. */
export async function chainStep(context: MemberContext): Promise<Outcome> {
  const { node, member, facts } = context;
  if (node.spec.type !== "core") {
    if ((context.status.height ?? 0) > 0 && (await claimOf(context)) === undefined) resetVolume(context);
    return markJudged(context);
  }
  // A volume that is replaced counts as empty until its node reports blocks again.
  if (renewalRun(node, member.name) !== undefined) context.status = { ...context.status, volume: undefined };
  const seen = await observeVolume(context);
  const isPermitted = isAllowed(
    node.meta.annotations[annotations.allowNewChain],
    node.status.allowed?.newChain,
  );
  // A volume that an operation replaces on a public network is no loss: its chain is everywhere.
  const isReplaced = isPublicRenewal(node, member.name);
  if (!isLost(seen)) {
    // Until it has a block again: the volume was emptied, and its node waits for the chain that it had.
    if (isPermitted) context.status = { ...context.status, volume: undefined };
    return markJudged(context);
  }
  const genesis = await genesisOf(context);
  const stop = lossTrouble({
    node: node.meta.name,
    address: recordedAddress(context),
    ...genesis,
    empty: await emptyVolumes(context, genesis.validators),
    isAllowed: isPermitted || isReplaced,
  });
  if (stop !== undefined) {
    facts.stop ??= stop;
    facts.claims = seen.isClaimed;
    return goOn;
  }
  resetVolume(context);
  return markJudged(context);
}

/** Forgets the volume, and reports that it is missing when it had blocks. */
function resetVolume(context: MemberContext): void {
  const { node, member, deps, status } = context;
  if (status.volume !== undefined || (status.height ?? 0) > 0) {
    const words = `the volume of ${member.name} is missing; the replica starts with an empty one`;
    deps.events.record(node, "VolumeReplaced", words);
  }
  context.status = { ...status, volume: undefined, height: undefined };
}

function markJudged({ facts }: MemberContext): Outcome {
  facts.judged = { ...facts.judged, chain: true };
  return goOn;
}

/** Observes the volume. The Network, or a Node that is being deleted, knows the height of a recreated Node. */
async function observeVolume(context: MemberContext): Promise<ChainVolume> {
  const { status } = context;
  const claim = await claimOf(context);
  const isNew = claim === undefined && status.height === undefined;
  return seenOf(claim, status, isNew ? formerHeight(context) : status.height);
}

function claimOf({ node, member, deps }: MemberContext): Promise<unknown> {
  return presentObject(
    "claim",
    { namespace: node.meta.namespace, name: objectNames(member.name).claim },
    deps,
  );
}

/** Returns the height of a new member's chain: that of its Network, or of a Node that has had its key; 0 when unknown. */
function formerHeight(context: MemberContext): number {
  const { node, deps } = context;
  const { namespace } = node.meta;
  const address = recordedAddress(context);
  const heights = deps.cache
    .nodes(namespace)
    .flatMap(({ status: { members = [] } }) => members)
    .map((member) => (address !== undefined && member.address === address ? (member.height ?? 0) : 0));
  return Math.max(networkOf(node, deps.cache)?.status.height ?? 0, ...heights);
}

function seenOf(
  claim: unknown,
  recorded: Pick<MemberStatus, "volume">,
  height: number | undefined,
): ChainVolume {
  return {
    isClaimed: claim !== undefined,
    volume: claim === undefined ? undefined : volumeOf(claim),
    recorded: recorded.volume,
    hadBlocks: (height ?? 0) > 0,
  };
}

type Genesis = Pick<LossView, "validators" | "committee">;

const UNKNOWN: Genesis = { validators: undefined, committee: undefined };

/** Returns the validators of the genesis and the size of their committee, from the Network or the genesis file. */
async function genesisOf({ node, deps }: MemberContext): Promise<Genesis> {
  const { spec, status } = networkOf(node, deps.cache) ?? {};
  const validators = status?.genesis?.validators ?? [];
  const committee = spec?.genesis.create?.consensus.committeeSize;
  if (validators.length > 0 && committee !== undefined) return { validators, committee };
  if (isPublic(node)) return UNKNOWN;
  const { namespace } = node.meta;
  const { name, key } = genesisConfigMap(node.spec.network);
  const object = await presentObject("configMap", { namespace, name }, deps);
  return genesisInFile(configText(object, key), validators);
}

/** Reads a genesis file beside the recorded validators. A committee that is not known may be of one. */
function genesisInFile(text: string | undefined, recorded: readonly string[]): Genesis {
  const isRecorded = recorded.length > 0 || text === undefined;
  const validators = isRecorded ? recorded : genesisRecord(text, false).validators;
  if (validators.length === 0) return UNKNOWN;
  return { validators, committee: text === undefined ? 1 : committeeSize(text) };
}

/** Returns the addresses of validators with empty volumes, or with a claim that is being deleted, and of this one. */
async function emptyVolumes(
  context: MemberContext,
  validators: readonly string[] = [],
): Promise<ReadonlySet<string>> {
  const { node, deps } = context;
  const own = recordedAddress(context);
  const others = deps.cache
    .nodes()
    .filter(({ meta, spec }) => spec.type === "core" && meta.uid !== node.meta.uid)
    .flatMap((other) => membersOf(other).map(({ name }) => ({ other, name })));
  const empty = new Set(own === undefined ? [] : [own]);
  for (const { other, name } of others) {
    const address = knownAddress(other, name, { validators, deps });
    if (address === undefined || !validators.includes(address)) continue;
    if (await hasNoChain(other, name, deps)) empty.add(address);
  }
  return empty;
}

/** Returns the address of a member: as recorded, or of the key that a reconciliation has read just now. */
function knownAddress(
  node: NodeResource,
  member: string,
  { validators, deps }: { readonly validators: readonly string[]; readonly deps: ReconcileDeps },
): string | undefined {
  const recorded = node.status.members?.find(({ name }) => name === member)?.address;
  const key = keyOf({ namespace: node.meta.namespace, name: member });
  const isAt = (address: string): boolean => [...deps.memory.addresses.membersAt(address)].includes(key);
  return recorded ?? genesisAddress(node, member, deps) ?? validators.find(isAt);
}

/** A claim that seems to be kept is asked for: it can have been deleted a moment ago, with all the others. */
async function hasNoChain(node: NodeResource, member: string, deps: ReconcileDeps): Promise<boolean> {
  if (renewalRun(node, member) !== undefined || reportsNoBlock(node, member, deps)) return true;
  const place = { namespace: node.meta.namespace, name: objectNames(member).claim };
  const seen = deps.cache.find("claim", keyOf(place));
  const status = node.status.members?.find(({ name }) => name === member);
  if (seen === undefined || seen.meta.deleted || status === undefined) return true;
  if (isEmpty(seenOf(seen.object, status, status.height))) return true;
  const claim = await deps.client.get(kinds.claim, place);
  return claim === undefined || readMeta(claim).deleted;
}

/** True for a node that reports no block above 0: its volume was emptied, whatever its status remembers. */
function reportsNoBlock({ meta }: NodeResource, member: string, { poller }: ReconcileDeps): boolean {
  const observation = poller.latest(keyOf({ namespace: meta.namespace, name: member }));
  return observation?.ok === true && observation.height === 0;
}

/**
 * True when the validators of the genesis with empty volumes could begin another chain if this one lost its volume. Those of
 * a public network are others' nodes, whose chain goes on.
 */
export async function couldBeginChain(context: MemberContext): Promise<boolean> {
  const { node } = context;
  if (node.spec.type !== "core" || isPublic(node)) return false;
  const address = recordedAddress(context);
  const genesis = await genesisOf(context);
  const empty = await emptyVolumes(context, genesis.validators);
  return lossTrouble({ node: node.meta.name, address, ...genesis, empty, isAllowed: false }) !== undefined;
}

function isPublicRenewal(node: NodeResource, member: string): boolean {
  return isPublic(node) && renewalRun(node, member) !== undefined;
}

function isPublic({ spec }: NodeResource): boolean {
  return publicNetworkOf(spec.network) !== undefined;
}

/** Records the volume of a core node that reported a block of its chain. */
export function volumeStep(context: MemberContext): Outcome {
  const { node, member, deps, facts, status } = context;
  const { report, stop } = facts;
  if (node.spec.type !== "core" || report === undefined || stop !== undefined) return goOn;
  if (report.height === 0 || report.syncing) return goOn;
  const claim = deps.cache.find("claim", `${node.meta.namespace}/${objectNames(member.name).claim}`);
  context.status = { ...status, volume: (claim && volumeOf(claim.object)) ?? status.volume };
  return goOn;
}
