/** The certificate of a member's gateway: issued once, and again in time before it ends. */
import { gatewayName, objectNames } from "../build/names.ts";
import { gatewaySecret } from "../build/secrets.ts";
import { isGood, issueGateway } from "../control/authority.ts";
import { gatewayFiles } from "../control/methods.ts";
import { believed } from "../control/rotation.ts";
import { kinds } from "../kube/resources.ts";
import type { MemberContext } from "./context.ts";
import { goOn, type Outcome } from "./outcome.ts";
import { secretText } from "./secret-text.ts";

/** Writes the Secret when there is none, or its certificate is about to end or is not the authority's. */
export async function certificateStep({ node, member, around }: MemberContext): Promise<Outcome> {
  const { clock, applier, client } = around;
  const authorities = around.authorities();
  const { current } = authorities;
  const { namespace } = node.meta;
  const { gateway: name } = objectNames(member.name);
  const host = gatewayName(member.name, namespace);
  const seen = around.find("secret", `${namespace}/${name}`);
  const object = seen?.object ?? (await client.get(kinds.secret, { namespace, name }));
  const held = {
    certificate: secretText(object, gatewayFiles.certificate) ?? "",
    key: secretText(object, gatewayFiles.key) ?? "",
  };
  const isHeldGood = isGood(current, held, host, clock.now());
  const { certificate, key } = isHeldGood ? held : await issueGateway(current, host, clock.now());
  const files = {
    [gatewayFiles.certificate]: certificate,
    [gatewayFiles.key]: key,
    [gatewayFiles.authority]: believed(authorities),
  };
  await applier.apply(gatewaySecret(member, files), seen);
  return goOn;
}
