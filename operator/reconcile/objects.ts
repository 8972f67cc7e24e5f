/** Applies the objects of a Node, and deletes those that an earlier spec required. */
import { annotations } from "../api/names.ts";
import { type Draft, keyOf } from "../api/resource.ts";
import { disruptionBudget } from "../build/disruption-budgets.ts";
import { httpRoute, rpcIngress, wsRoute } from "../build/exposure.ts";
import { formerMembersOf, type Member, membersOf, objectNames, sharedNames } from "../build/names.ts";
import { networkPolicy } from "../build/network-policy.ts";
import { serviceAccount } from "../build/service-account.ts";
import { serviceMonitor } from "../build/service-monitor.ts";
import {
  externalService,
  hasExternalService,
  membersService,
  peerService,
  rpcService,
} from "../build/services.ts";
import { SETTINGS_FILE, settingsMap, settingsText } from "../build/settings.ts";
import { podTemplate, statefulSet } from "../build/stateful-set.ts";
import {
  formerInputs,
  inputDigest,
  isScaledUp,
  lastAppliedSettings,
  lastAppliedTemplate,
  latestRestart,
  MAX_TEMPLATE_LENGTH,
  type PodInputs,
  templateDigest,
  templateRestart,
} from "../build/template.ts";
import { kinds } from "../kube/resources.ts";
import type { WatchedKind } from "./cluster-cache.ts";
import type { Context, MemberContext } from "./context.ts";
import { awaitsForks } from "./genesis.ts";
import { presentPod } from "./group.ts";
import { requiredPeers } from "./mesh.ts";
import { goOn, type Outcome, refusalOf, refuseWith, worstOf } from "./outcome.ts";
import { isOwned } from "./owned.ts";
import { readPod } from "./pod-view.ts";
import { bindClaim, isDeletingClaim, keepClaim, renewalRun, withoutCopies } from "./replaced-volume.ts";
import { configText } from "./secret-text.ts";
import { isSource, siblingsOf } from "./siblings.ts";

/** Applies the objects that the members share. */
export async function sharedStep({ node, deps }: Context): Promise<Outcome> {
  const { operatorNamespace } = deps.settings;
  const givesCopies = isSource(node, deps);
  const routes = [httpRoute(node), wsRoute(node)];
  const servesRoutes = deps.cache.serves("httpRoute");
  const applied = await applyAll({ node, deps }, [
    ["serviceAccount", serviceAccount(node)],
    ["service", membersService(node)],
    ["service", rpcService(node)],
    ["networkPolicy", networkPolicy(node, { operatorNamespace, givesCopies })],
    ["disruptionBudget", disruptionBudget(node)],
    ["serviceMonitor", deps.cache.serves("serviceMonitor") ? serviceMonitor(node) : undefined],
    ["ingress", rpcIngress(node)],
    ...(servesRoutes ? routes : []).map((route) => ["httpRoute", route] as const),
  ]);
  const isMissing = !servesRoutes && routes.some((route) => route !== undefined);
  return isMissing ? worstOf([applied, ROUTE_UNSERVED]) : applied;
}

const ROUTE_UNSERVED = refuseWith(
  "ObjectRefused",
  `the cluster does not serve ${kinds.httpRoute.kind} of ${kinds.httpRoute.apiVersion}: install the Gateway API, or use spec.ingress`,
);

/** Deletes the pods of a suspended Node, whatever other steps fail. */
export async function suspendStep({ node, members }: Context): Promise<Outcome> {
  if (!node.spec.suspend) return goOn;
  const outcomes: Outcome[] = [];
  for (const member of members) outcomes.push(await endPod(member));
  return worstOf(outcomes);
}

/** Applies the objects of a member. */
export async function memberStep(context: MemberContext): Promise<Outcome> {
  const { member, facts } = context;
  if (facts.stop !== undefined) return facts.stop.pod === "ends" ? endPod(context) : goOn;
  if (isDeletingClaim(context)) return goOn;
  const { template, settings, former } = podInputs(context);
  facts.inputs = { template, settings };
  const length = JSON.stringify(template).length;
  if (length > MAX_TEMPLATE_LENGTH)
    return refuseWith(
      "ObjectRefused",
      `spec.podTemplate makes a pod template of ${length} characters; it may have ${MAX_TEMPLATE_LENGTH}`,
    );
  const hadBlocks =
    context.status.volume !== undefined || renewalRun(context.node, member.name) !== undefined;
  const known = { peers: requiredPeers(context), hadBlocks, siblings: siblingsOf(context) };
  return applyAll(context, [
    ["configMap", settingsMap(member, settings, known)],
    ["service", peerService(member)],
    ["service", externalService(member)],
    ["statefulSet", statefulSet(member, template, { settings, former })],
  ]);
}

/** Scales the StatefulSet of a member to zero; does not create it. */
function endPod(context: MemberContext): Promise<Outcome> {
  const { member } = context;
  const written = writtenInputs(context);
  if (written === undefined) return Promise.resolve(goOn);
  const { node } = member;
  const suspended = { ...node, spec: { ...node.spec, suspend: true } };
  const { template, settings, former } = written;
  return applyAll(context, [
    ["statefulSet", statefulSet({ ...member, node: suspended }, template, { settings, former })],
  ]);
}

/** Inputs of the pod, and those for a rollback. */
interface MemberInputs extends PodInputs {
  readonly former: PodInputs | undefined;
  /** False for a StatefulSet that was scaled down: it has no pod to keep, and its template may be of another key. */
  readonly isUp: boolean;
}

/** Returns what was applied last; undefined before. An earlier release recorded the settings in the ConfigMap alone. */
function writtenInputs({ member, node, deps }: MemberContext): MemberInputs | undefined {
  const { namespace } = node.meta;
  const names = objectNames(member.name);
  const key = `${namespace}/${names.statefulSet}`;
  const set = deps.applier.latest("StatefulSet", key, deps.cache.find("statefulSet", key));
  const template = lastAppliedTemplate(set);
  if (template === undefined) return undefined;
  const map = deps.cache.find("configMap", `${namespace}/${names.settings}`)?.object;
  return {
    template,
    settings:
      lastAppliedSettings(set) ??
      configText(map, SETTINGS_FILE) ??
      settingsText(member, deps.settings.listenHost),
    former: formerInputs(set),
    isUp: isScaledUp(set),
  };
}

/** Returns what was applied last while the inputs are unchanged or the member waits; else builds both again. */
function podInputs(context: MemberContext): MemberInputs {
  const { facts, status } = context;
  const written = writtenInputs(context);
  const fresh = freshInputs(context, written);
  facts.fresh = fresh;
  if (written === undefined) return { ...fresh, former: undefined, isUp: false };
  const { former, isUp } = written;
  if (former !== undefined && facts.rollsBack === true) return { ...former, former, isUp };
  if (keepsWritten(context, written) || templateDigest(written.template) === templateDigest(fresh.template))
    return written;
  return { ...fresh, former: formerOf(written, status.ready && runsWith(context, written)), isUp };
}

/** True for a member that keeps what was applied last for now, with its pod. */
function keepsWritten(context: MemberContext, { template, isUp }: MemberInputs): boolean {
  const { keeps, volume } = context.facts;
  return isUp && (keeps === true || volume?.reason === "Terminating" || awaitsForks(context, template));
}

/** True when the pod is ready, and of these inputs: the status may still be that of the pod before it. */
function runsWith({ member, deps }: MemberContext, { template }: PodInputs): boolean {
  const seen = presentPod(member, deps.cache);
  const isOfThese = seen?.meta.annotations[annotations.settings] === templateDigest(template);
  return seen !== undefined && isOfThese && readPod(seen.object).ready;
}

/** Builds the inputs of the pod as this release writes them for the current spec and the last restart. */
function freshInputs(
  { member, deps, facts: { identity } }: Pick<MemberContext, "member" | "deps" | "facts">,
  written: PodInputs | undefined,
): PodInputs {
  const restart = latestRestart(member, templateRestart(written?.template));
  const digest = inputDigest(member, identity?.id, restart);
  const options = { ...deps.settings, digest, address: identity?.address, restart };
  const built = withoutCopies(member);
  return {
    template: podTemplate(built, options),
    settings: settingsText(built, deps.settings.listenHost),
  };
}

/** Returns the inputs for a rollback: those that are replaced now if the pod is ready with them. */
function formerOf({ template, settings, former }: MemberInputs, isReady: boolean): PodInputs | undefined {
  return isReady ? { template, settings } : former;
}

type Wanted = readonly (readonly [kind: WatchedKind, draft: Draft | undefined])[];

/** Applies all drafts; a refused one does not block the others. */
async function applyAll({ node, deps }: Pick<Context, "node" | "deps">, wanted: Wanted): Promise<Outcome> {
  const outcomes: Outcome[] = [];
  for (const [kind, draft] of wanted) {
    if (draft === undefined) continue;
    const key = keyOf(draft.metadata);
    try {
      const written = await deps.applier.apply(draft, deps.cache.find(kind, key));
      if (written) deps.log.info({ node: node.meta.name, kind: draft.kind, object: key }, "applied");
    } catch (error) {
      outcomes.push(refusalOf(error));
    }
  }
  return worstOf(outcomes);
}

/** Interval of checks while a former member terminates. */
const PRUNE_MS = 2_000;

/**
 * Deletes objects that only an earlier spec required. Former members go one at a time, the last one first. Node keys stay
 * until the Node is deleted, and volumes unless `storage.whenScaled` is Delete. A refused deletion does not block the others.
 */
export async function pruneStep(context: Context): Promise<Outcome> {
  const { node, deps } = context;
  const former = formerMembersOf(node);
  const [last, next] = former.filter((member) => hasPod(member, deps)).reverse();
  if (next !== undefined) context.againMs = PRUNE_MS;
  const waiting = new Set(former.filter((member) => member !== last && hasPod(member, deps)));
  const leaving = former.filter((member) => !waiting.has(member));
  const outcomes: Outcome[] = [];
  for (const [kind, name] of obsoleteObjects(node, leaving)) {
    const { namespace } = node.meta;
    const seen = deps.cache.find(kind, `${namespace}/${name}`);
    if (seen === undefined || seen.meta.deleted || !isOwned(seen.object, node.meta.uid)) continue;
    try {
      const scaled = kind === "statefulSet" && leaving.find((each) => each.name === name);
      const follow = node.spec.storage.whenScaled === "Delete" ? bindClaim : keepClaim;
      if (scaled) await follow(scaled, seen, deps);
      await deps.client.remove(kinds[kind], { namespace, name }, seen.meta.uid);
      deps.log.info({ node: node.meta.name, kind: kinds[kind].kind, object: name }, "deleted");
    } catch (error) {
      outcomes.push(refusalOf(error));
    }
  }
  return worstOf(outcomes);
}

/** True while a member has a pod, or a StatefulSet that would create one. */
function hasPod({ node, name }: Member, { cache }: Context["deps"]): boolean {
  const names = objectNames(name);
  const set = cache.find("statefulSet", keyOf({ ...node.meta, name: names.statefulSet }));
  const isKept = set !== undefined && !set.meta.deleted && isOwned(set.object, node.meta.uid);
  const isSelf = set === undefined || isOwned(set.object, node.meta.uid);
  return isKept || (isSelf && cache.find("pod", keyOf({ ...node.meta, name: names.pod })) !== undefined);
}

function obsoleteObjects(
  node: Context["node"],
  members: readonly Member[],
): readonly (readonly [kind: WatchedKind, name: string])[] {
  const shared = sharedNames(node.meta.name);
  return [
    ...(rpcService(node) === undefined ? [["service", shared.rpcService] as const] : []),
    ...(disruptionBudget(node) === undefined ? [["disruptionBudget", shared.disruptionBudget] as const] : []),
    ...(serviceMonitor(node) === undefined ? [["serviceMonitor", shared.serviceMonitor] as const] : []),
    ...(rpcIngress(node) === undefined ? [["ingress", shared.ingress] as const] : []),
    ...(httpRoute(node) === undefined ? [["httpRoute", shared.route] as const] : []),
    ...(wsRoute(node) === undefined ? [["httpRoute", shared.wsRoute] as const] : []),
    ...members.flatMap(objectsOf),
    ...(hasExternalService(node) ? [] : externalServices(node)),
  ];
}

function objectsOf({ name }: Member): readonly (readonly [kind: WatchedKind, name: string])[] {
  const {
    statefulSet: set,
    peerService: peer,
    externalService: external,
    settings,
    gateway,
  } = objectNames(name);
  return [
    ["statefulSet", set],
    ["service", peer],
    ["service", external],
    ["configMap", settings],
    ["secret", gateway],
  ];
}

function externalServices(node: Context["node"]): readonly (readonly [kind: WatchedKind, name: string])[] {
  return membersOf(node).map(({ name }) => ["service", objectNames(name).externalService]);
}
