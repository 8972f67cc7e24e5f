/** Observes the pod and the node of a member. */
import { annotations } from "../api/names.ts";
import { stepReasons } from "../api/reasons.ts";
import { addressOfId } from "../build/identity.ts";
import { objectNames } from "../build/names.ts";
import { statusHeight } from "../plan/group.ts";
import type { Context, MemberContext } from "./context.ts";
import { recordedAddresses, reportedAddresses } from "./council.ts";
import { externalUrl } from "./external-url.ts";
import { chainKey, freshObservation, isForeignGenesis, networkOf, readPresentPod } from "./group.ts";
import { peerUrl } from "./node-key.ts";
import { failWith, goOn, type Outcome, waitFor } from "./outcome.ts";
import { podFailure } from "./pod-failure.ts";
import { type PodView, readPod } from "./pod-view.ts";
import { missingPodText } from "./refused-pod.ts";

/** Interval of polls of a silent node. */
const LOOK_AGAIN_MS = 2_500;

/**
 * True while a ready member was not polled since this operator started; starts the polls. The status of an
 * earlier operator stays until the result, which arrives within the channel's deadline.
 */
export function awaitsFirstAnswer({ members, deps }: Context): boolean {
  const unasked = members.filter(({ key, member, status }) => {
    if (!status.ready || deps.poller.latest(key) !== undefined) return false;
    const pod = readPresentPod(member, deps.cache);
    return pod?.ready === true && pod.address !== undefined;
  });
  for (const { key } of unasked) deps.poller.pollSoon(key);
  return unasked.length > 0;
}

/** Waits for the pod; records the URLs and the last termination. */
export async function podStep(context: MemberContext): Promise<Outcome> {
  const { node, member, deps, facts } = context;
  const seen = deps.cache.find("pod", `${node.meta.namespace}/${objectNames(member.name).pod}`);
  const view = seen === undefined || seen.meta.deleted ? undefined : readPod(seen.object);
  noteUrls(context, view);
  if (view !== undefined) facts.pod = view;
  facts.podDigest = seen?.meta.annotations[annotations.settings];
  context.status = { ...context.status, lastExit: view?.lastExit ?? context.status.lastExit };
  facts.hasPod = seen !== undefined;
  if (seen !== undefined) facts.failing = podFailure(seen, deps.clock.now());
  return waitForPod(context, view);
}

async function waitForPod(context: MemberContext, view: PodView | undefined): Promise<Outcome> {
  const { node, facts } = context;
  if (node.spec.suspend && view === undefined) {
    const { Suspended, Suspending } = stepReasons;
    return facts.hasPod ? waitFor("Suspending", Suspending) : waitFor("Suspended", Suspended);
  }
  const { failing } = facts;
  if (failing !== undefined) return waitFor(failing.reason, failing.message);
  if (view === undefined) {
    const text = facts.hasPod ? "the pod is terminating" : await missingPodText(context);
    return waitFor("PodMissing", text);
  }
  if (view.address === undefined) return waitFor("PodPending", view.trouble);
  return goOn;
}

function noteUrls(context: MemberContext, view: PodView | undefined): void {
  const { member, deps, facts, status } = context;
  if (facts.identity === undefined) return;
  const url = peerUrl(member, facts.identity, deps, view?.address) ?? status.url;
  const outside = externalUrl(member, facts.identity, deps, view?.hostAddress);
  context.status = { ...status, url, externalUrl: outside };
}

/** Waits for a response of the node in the current pod. */
export function answerStep(context: MemberContext): Outcome {
  const { key, deps, facts } = context;
  const observation = deps.poller.latest(key);
  const view = facts.pod ?? { address: undefined, ready: false, trouble: "" };
  if (observation === undefined || observation.address !== view.address) {
    deps.poller.pollSoon(key);
    return notReady(view, "NotAsked", "the node has not been queried yet");
  }
  const now = deps.clock.now();
  if (!observation.ok) {
    if (now - observation.at >= LOOK_AGAIN_MS) deps.poller.pollSoon(key);
    return notReady(view, observation.reason, observation.message);
  }
  if (!isMember(context, observation.id)) {
    return failWith("WrongNode", `another node responds at this address: ${observation.id.slice(0, 16)}`);
  }
  if (now > observation.until) return waitFor("NoAnswer", "the node has not responded recently");
  facts.report = observation;
  const { syncing, version, peers } = observation;
  context.status = { ...context.status, syncing, version, peers: peers.size };
  if (isForeignGenesis(context.node, observation.genesis, deps.cache)) {
    stopForeign(context, observation.genesis);
    return goOn;
  }
  const common = deps.memory.commonHeight(chainKey(context.node, deps.cache));
  context.status = { ...context.status, height: statusHeight(observation.height, common) };
  return goOn;
}

/**
 * Records whether a core node is in the council; an unknown council changes nothing. One that the node itself has in its
 * council stays a validator, whatever others report: it would lose its peers.
 */
export function validatorStep(context: MemberContext): Outcome {
  const { node, member, deps, status } = context;
  if (node.spec.type !== "core" || status.address === undefined) return goOn;
  const { namespace } = node.meta;
  const nodes = deps.cache
    .nodes(namespace)
    .filter(({ spec }) => spec.network.name === node.spec.network.name);
  const network = networkOf(node, deps.cache);
  const [council] = reportedAddresses({ network, nodes, deps });
  const known = council ?? recordedAddresses(network);
  const own = freshObservation(member, deps)?.council ?? [];
  const validator = known?.includes(status.address) === true || own.includes(status.address);
  if (known !== undefined) context.status = { ...status, validator };
  return goOn;
}

/** Stops a node of another chain than its Network's. */
function stopForeign({ node, deps, facts }: MemberContext, reported: string | undefined): void {
  const recorded = networkOf(node, deps.cache)?.status.genesisHash;
  const message = `the node reports the genesis hash ${reported}, but that of its network is ${recorded}; its volume contains another chain`;
  facts.stop ??= { reason: "GenesisLost", message, pod: "stays" };
}

/** Checks the identity of a response, by the recorded address if the key is unavailable. */
function isMember({ facts: { identity }, status }: MemberContext, id: string): boolean {
  return identity === undefined ? addressOfId(id) === status.address : identity.id === id;
}

/** Waits with the pod's own reason while the pod is not ready. */
function notReady(
  { ready, trouble }: Pick<PodView, "ready" | "trouble">,
  reason: string,
  message: string,
): Outcome {
  return ready ? waitFor(reason, message, LOOK_AGAIN_MS) : waitFor("PodNotReady", trouble, LOOK_AGAIN_MS);
}

/** Waits for the pod to become ready, with the reasons that its node reports at `/readyz`. */
export function readyStep({ facts }: MemberContext): Outcome {
  if (facts.pod?.ready) return goOn;
  const reasons = facts.report?.reasons ?? [];
  if (reasons.length > 0) return waitFor("NodeNotReady", `the node reports ${reasons.join(", ")}`);
  return waitFor("PodNotReady", facts.pod?.trouble ?? "");
}
