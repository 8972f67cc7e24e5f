/** The node key of a member: from the named Secret, or created at random and then permanent. */
import { annotations } from "../api/names.ts";
import { type NodeResource, readNode } from "../api/resource.ts";
import { addressOfId, type Identity, identityOf, nodeUrl } from "../build/identity.ts";
import { type Member, objectNames } from "../build/names.ts";
import { NODE_KEY, nodeKeySecret } from "../build/secrets.ts";
import { isKubeError } from "../kube/error.ts";
import { kinds } from "../kube/resources.ts";
import { type KeyView, planKey } from "../plan/node-key.ts";
import { isAllowed } from "../plan/stop.ts";
import type { MemberContext } from "./context.ts";
import type { ReconcileDeps } from "./deps.ts";
import { networkOf, presentPod } from "./group.ts";
import { failWith, goOn, type Outcome, waitFor } from "./outcome.ts";
import { readPod } from "./pod-view.ts";
import { presentObject } from "./present-object.ts";
import { secretText } from "./secret-text.ts";

/** Secret of a node key, and its text. */
interface KeyFound {
  readonly secret: string;
  readonly text: string | undefined;
}

/** Finds the identity and records its address. A key other than the recorded one stops the member. */
export async function nodeKeyStep(context: MemberContext): Promise<Outcome> {
  const { facts } = context;
  const found = await findKey(context);
  const identity = found.text === undefined ? undefined : identityOf(found.text);
  const recorded = recordedAddress(context);
  const plan = planKey(keyView(context, found, identity));
  if (plan === "make") return makeKey(context, found);
  if (plan !== "use") {
    facts.stop = plan;
    context.status = { ...context.status, address: recorded };
    return goOn;
  }
  if (identity === undefined)
    return failWith("NodeKeyUnusable", `the Secret ${found.secret} contains no private key of 64 hex digits`);
  await keepSecret(context, found);
  note(context, identity);
  return goOn;
}

/** Members that are reconciled at once have no status yet, and must know of each other before a volume is judged. */
function note(context: MemberContext, identity: Identity): void {
  context.deps.memory.addresses.note(identity.address, context.key);
  context.facts.identity = identity;
  context.facts.judged = { ...context.facts.judged, key: true };
  context.status = { ...context.status, address: identity.address };
}

/** Returns the address that the member, or its Network for a validator of the genesis, recorded. */
export function recordedAddress({ member, node, status, deps }: MemberContext): string | undefined {
  return status.address ?? genesisAddress(node, member.name, deps);
}

/** Returns the address that the Network of a core node recorded for a member, as a validator of the genesis. */
export function genesisAddress(
  node: NodeResource,
  member: string,
  { cache }: Pick<ReconcileDeps, "cache">,
): string | undefined {
  if (node.spec.type !== "core") return undefined;
  return networkOf(node, cache)?.status.validators?.find(({ name }) => name === member)?.address;
}

function keyView(context: MemberContext, found: KeyFound, identity: Identity | undefined): KeyView {
  const { node } = context;
  const isThere = found.text !== undefined;
  return {
    node: node.meta.name,
    secret: found.secret,
    recorded: recordedAddress(context),
    found: isThere ? (identity?.address ?? "") : undefined,
    isAllowed: isAllowed(node.meta.annotations[annotations.allowNewKey], node.status.allowed?.newKey),
    pod: podOf(context),
  };
}

/** Determines the key of the running pod: as the node reports it, or by its start before a change. */
function podOf(context: MemberContext): KeyView["pod"] {
  const { key, member, deps } = context;
  const seen = presentPod(member, deps.cache);
  if (seen === undefined) return "absent";
  const { started, address } = readPod(seen.object);
  const observation = deps.poller.latest(key);
  const recorded = recordedAddress(context);
  if (observation?.ok !== true || observation.address !== address) return started ? "recorded" : "other";
  if (addressOfId(observation.id) === recorded) return "recorded";
  return seen.meta.annotations[annotations.address] === recorded ? "misread" : "other";
}

/** Returns the URL for peers; undefined until host and key are known. */
export function peerUrl(
  { node: { meta, spec }, name }: Member,
  identity: Identity,
  { settings }: Pick<ReconcileDeps, "settings">,
  address: string | undefined,
): string | undefined {
  const service = `${objectNames(name).peerService}.${meta.namespace}.svc`;
  const host = settings.peerAddress === "service" ? service : address;
  return host === undefined ? undefined : nodeUrl(identity, host, spec.p2p.port, spec.type);
}

async function findKey({ node, member, deps }: MemberContext): Promise<KeyFound> {
  const { namespace } = node.meta;
  const given = node.spec.nodeKeySecret;
  if (given !== undefined) {
    const object = await deps.client.get(kinds.secret, { namespace, name: given.name });
    return { secret: given.name, text: secretText(object, given.key) };
  }
  const { nodeKey: secret } = objectNames(member.name);
  const object = await presentObject("secret", { namespace, name: secret }, deps);
  return { secret, text: object === undefined ? undefined : (secretText(object, NODE_KEY) ?? "") };
}

/** Updates the metadata of a created Secret; the key stays unchanged. */
async function keepSecret({ node, member, deps }: MemberContext, { secret, text }: KeyFound): Promise<void> {
  const seen = deps.cache.find("secret", `${node.meta.namespace}/${secret}`);
  if (node.spec.nodeKeySecret !== undefined || seen === undefined || text === undefined) return;
  await deps.applier.apply(nodeKeySecret(member, text), seen);
}

/**
 * True if the API server has an address of the member that the cache does not have yet: the answer to the write of a
 * status may be lost while informers lag. Then the cache gets that Node.
 */
async function hasRecord({ node, member, deps }: MemberContext): Promise<boolean> {
  const { namespace, name } = node.meta;
  const object = await deps.client.get(kinds.node, { namespace, name });
  if (object === undefined) return false;
  const { members = [] } = readNode(object).status;
  if (members.find((each) => each.name === member.name)?.address === undefined) return false;
  deps.cache.recordWrite(object);
  return true;
}

/** Creates a key. It is never overwritten, because it identifies a validator. */
async function makeKey(context: MemberContext, { secret }: KeyFound): Promise<Outcome> {
  const { node, member, deps } = context;
  const given = node.spec.nodeKeySecret;
  if (given !== undefined)
    return waitFor("NodeKeyMissing", `the Secret ${given.name} does not exist or has no key ${given.key}`);
  if (recordedAddress(context) === undefined && (await hasRecord(context)))
    return waitFor("NodeKeyMissing", "an address was recorded meanwhile", 0);
  const key = deps.createKey();
  try {
    await deps.client.create(nodeKeySecret(member, key));
  } catch (error) {
    if (!isKubeError(error, "already-exists")) throw error;
    return waitFor("NodeKeyMissing", `the Secret ${secret} was created concurrently`, 0);
  }
  deps.events.record(node, "NodeKeyMade", `created the Secret ${secret} with a random node key`);
  const identity = identityOf(key);
  if (identity !== undefined) note(context, identity);
  return goOn;
}
