/** Siblings: replicas whose gateways give a copy to one that starts on an empty volume. */
import { pod } from "../api/names.ts";
import type { NodeResource } from "../api/resource.ts";
import { gatewayName, type Member, membersOf, objectNames, startsFromSibling } from "../build/names.ts";
import type { SiblingGateway } from "../build/settings.ts";
import { isSteady, type MemberView } from "../plan/group.ts";
import { ROLLOUT_ORDER } from "../plan/rollout.ts";
import type { MemberContext } from "./context.ts";
import type { ReconcileDeps } from "./deps.ts";
import { networkOf, viewMember } from "./group.ts";
import { renewalRun } from "./replaced-volume.ts";

/** Maximum number of siblings that are asked, one after another. */
const MAX_SIBLINGS = 4;

/**
 * Lists the siblings of a member that has no blocks yet: ready and synced ones with blocks, its own Node's first, and
 * validators last. A member with blocks has none, so that its file changes once and not with each of theirs.
 */
export function siblingsOf({ node, member, status, deps }: MemberContext): readonly SiblingGateway[] {
  const isEmpty = (status.height ?? 0) === 0 || renewalRun(node, member.name) !== undefined;
  if (!startsFromSibling(node.spec) || !isEmpty) return [];
  const { namespace, name } = node.meta;
  const others = deps.cache
    .nodes(namespace)
    .filter(({ meta, spec }) => spec.network.name === node.spec.network.name && meta.name !== name);
  const candidates = [node, ...others]
    .flatMap(membersOf)
    .map((each) => ({ each, view: viewMember(each, deps) }));
  const views = candidates.map(({ view }) => view);
  return candidates
    .filter(({ each, view }) => each.name !== member.name && isGiver(each, node) && hasChain(view, views))
    .sort((a, b) => placeOf(a.each, name) - placeOf(b.each, name) || (a.each.name < b.each.name ? -1 : 1))
    .slice(0, MAX_SIBLINGS)
    .map(({ each }) => gatewayOf(each, namespace));
}

function isGiver({ node }: Member, { meta, spec: { bootstrap } }: NodeResource): boolean {
  if (bootstrap?.node !== undefined) return node.meta.name === bootstrap.node;
  return node.meta.namespace === meta.namespace;
}

function hasChain(view: MemberView, views: readonly MemberView[]): boolean {
  return (view.height ?? 0) > 0 && isSteady(view, views);
}

function placeOf({ node }: Member, own: string): number {
  return node.meta.name === own ? -1 : ROLLOUT_ORDER.indexOf(node.spec.type);
}

function gatewayOf({ name }: Member, namespace: string): SiblingGateway {
  const host = `${objectNames(name).peerService}.${namespace}.svc`;
  return { host, port: pod.gatewayPort, name: gatewayName(name, namespace) };
}

/** True for a Node whose copies a Node of its network may ask for. */
export function isSource(node: NodeResource, { cache }: Pick<ReconcileDeps, "cache">) {
  const { namespace, name } = node.meta;
  const { network } = node.spec;
  const { bootstrap: shared } = networkOf(node, cache)?.spec.defaults ?? {};
  const own = cache
    .nodes(namespace)
    .filter(({ spec }) => spec.network.name === network.name)
    .map(({ spec: { bootstrap } }) => bootstrap);
  return [shared, ...own].some((each) => each?.from !== undefined || each?.node === name);
}
