/** Knits the node into its network: tells it whom to keep, and whom no longer. */
import type { NodeResource } from "../api/resource.ts";
import { readBoolean } from "../control/answers.ts";
import { ControlError } from "../control/error.ts";
import { planMesh } from "../plan/mesh.ts";
import { type Member, peersToKeep } from "../plan/topology.ts";
import { gatewayOf, type MemberContext } from "./context.ts";
import { goOn, type Outcome, waitFor } from "./outcome.ts";

/** After peers were told, the node is looked at again this soon. */
const LOOK_AGAIN_MS = 2_000;

/** Tells the node what differs. */
export async function meshStep(context: MemberContext): Promise<Outcome> {
  const { node, around, facts, key, status } = context;
  const address = facts.pod?.address;
  if (facts.told === undefined || address === undefined) return goOn;
  const wanted = peersToKeep(seekerOf(context), around.nodes(node.meta.namespace).flatMap(membersOf));
  const { remove, add, missing } = planMesh({ wanted, told: status.mesh ?? [], connected: facts.told.peers });
  const gateway = gatewayOf(key, address);
  try {
    for (const url of remove) readBoolean(await around.channel.call(gateway, "admin_removePeer", url));
    for (const url of add) {
      const taken = readBoolean(await around.channel.call(gateway, "admin_addPeer", url));
      if (!taken) around.log.warn({ node: key, url }, "the node does not take this peer");
    }
  } catch (error) {
    if (error instanceof ControlError) return waitFor(error.reason, error.message, LOOK_AGAIN_MS);
    throw error;
  }
  if (remove.length + add.length > 0)
    around.log.info({ node: key, add: add.length, remove: remove.length }, "told peers");
  context.status = {
    ...context.status,
    mesh: wanted,
    peersWanted: wanted.length,
    peersMissing: missing,
  };
  if (missing > 0) setTimeout(() => around.look(key), LOOK_AGAIN_MS).unref();
  return goOn;
}

function membersOf({ meta, spec, status }: NodeResource): readonly Member[] {
  return (status.members ?? []).map(({ name, url }) => ({
    name,
    network: spec.network.name,
    type: spec.type,
    url: meta.deleted ? undefined : url,
  }));
}

function seekerOf({ node, member, status }: MemberContext) {
  const { type, network, peers, p2p } = node.spec;
  return {
    name: member.name,
    network: network.name,
    type,
    url: status.url,
    types: peers.types,
    urls: peers.urls,
    maxPeers: p2p.maxPeers,
  };
}
