/** A member's identity: from the Secret that is named, or from one that is made with a random key and then kept. */
import { type Identity, identityOf, nodeUrl, randomKey } from "../build/identity.ts";
import { type Member, objectNames } from "../build/names.ts";
import { NODE_KEY, nodeKeySecret } from "../build/secrets.ts";
import { isKubeError } from "../kube/error.ts";
import { kinds } from "../kube/resources.ts";
import type { MemberContext } from "./context.ts";
import { failWith, goOn, type Outcome, waitFor } from "./outcome.ts";
import { secretText } from "./secret-text.ts";
import type { Surroundings } from "./surroundings.ts";

/** Finds the identity; notes its address in the status. */
export async function nodeKeyStep(context: MemberContext): Promise<Outcome> {
  const { node, member } = context;
  const given = node.spec.nodeKeySecret;
  const key = given === undefined ? await madeKey(context) : await givenKey(context, given);
  if (key === undefined)
    return waitFor("NodeKeyMissing", `there is no Secret ${given?.name} with a member ${given?.key}`);
  const identity = identityOf(key);
  if (identity === undefined) {
    const name = given?.name ?? objectNames(member.name).nodeKey;
    return failWith("NodeKeyUnusable", `the Secret ${name} holds no private key of 64 hex digits`);
  }
  context.facts.identity = identity;
  context.status = { ...context.status, address: identity.address };
  return goOn;
}

/** Where peers reach a member; undefined until it can be said. */
export function peerUrl(
  { node: { meta, spec }, name }: Member,
  identity: Identity,
  { settings }: Pick<Surroundings, "settings">,
  address: string | undefined,
): string | undefined {
  const service = `${objectNames(name).peerService}.${meta.namespace}.svc`;
  const host = settings.peerAddress === "service" ? service : address;
  return host === undefined ? undefined : nodeUrl(identity, host, spec.p2p.port, spec.type);
}

async function givenKey(
  { node, around }: MemberContext,
  { name, key }: { readonly name: string; readonly key: string },
): Promise<string | undefined> {
  return secretText(await around.client.get(kinds.secret, { namespace: node.meta.namespace, name }), key);
}

/** A key is created once and never overwritten: it is the node's name among validators. */
async function madeKey({ node, member, around }: MemberContext): Promise<string> {
  const { namespace } = node.meta;
  const { nodeKey: name } = objectNames(member.name);
  const seen = around.find("secret", `${namespace}/${name}`);
  const object = seen?.object ?? (await around.client.get(kinds.secret, { namespace, name }));
  if (object !== undefined) {
    const known = secretText(object, NODE_KEY) ?? "";
    if (seen !== undefined) await around.applier.apply(nodeKeySecret(member, known), seen);
    return known;
  }
  const key = randomKey();
  try {
    await around.client.create(nodeKeySecret(member, key));
  } catch (error) {
    if (!isKubeError(error, "already-exists")) throw error;
    return secretText(await around.client.get(kinds.secret, { namespace, name }), NODE_KEY) ?? "";
  }
  around.events.tell(node, "NodeKeyMade", `made the Secret ${name} with a random node key`);
  return key;
}
