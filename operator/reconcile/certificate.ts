/** The certificate of a node's gateway: issued once, and again in time before it ends. */
import { gatewayName, objectNames } from "../build/names.ts";
import { gatewaySecret } from "../build/secrets.ts";
import { isGood, issueGateway } from "../control/authority.ts";
import { gatewayFiles } from "../control/methods.ts";
import { kinds } from "../kube/resources.ts";
import type { Context } from "./context.ts";
import { goOn, type Outcome } from "./outcome.ts";
import { secretText } from "./secret-text.ts";

/** Writes the Secret when there is none, or its certificate is about to end or is not the authority's. */
export async function certificateStep({ node, around }: Context): Promise<Outcome> {
  const { authority, clock, applier, client } = around;
  const { namespace } = node.meta;
  const { gateway: name } = objectNames(node.meta.name);
  const host = gatewayName(node.meta.name, namespace);
  const seen = around.find("secret", `${namespace}/${name}`);
  const object = seen?.object ?? (await client.get(kinds.secret, { namespace, name }));
  const certificate = secretText(object, gatewayFiles.certificate);
  const key = secretText(object, gatewayFiles.key);
  const held = {
    ...(certificate === undefined ? {} : { certificate }),
    ...(key === undefined ? {} : { key }),
  };
  const good = isGood(authority, held, host, clock.now());
  const issued = good ? { certificate, key } : await issueGateway(authority, host, clock.now());
  const files = {
    [gatewayFiles.certificate]: issued.certificate ?? "",
    [gatewayFiles.key]: issued.key ?? "",
    [gatewayFiles.authority]: authority.certificate,
  };
  await applier.apply(gatewaySecret(node, files), seen);
  return goOn;
}
