/** Schema of `spec.bootstrap`: the start of a replica whose volume is empty. */
import { address, NAME, NAME_SAYS, objectName } from "./fields.ts";
import { object, oneOf, optional, text, withRules } from "./schema.ts";

/** Variables of an S3-compatible store that a Secret with credentials may have, by their usual names. */
export const storeVariables = [
  "AWS_ACCESS_KEY_ID",
  "AWS_SECRET_ACCESS_KEY",
  "AWS_SESSION_TOKEN",
  "AWS_REGION",
  "AWS_ENDPOINT_URL_S3",
] as const;

/** URL of an archive in an S3-compatible store. */
export function archiveUrl(description: string, maxLength: number) {
  return text(description, {
    maxLength,
    pattern: "^s3://[-.a-zA-Z0-9]+(/[-._~/a-zA-Z0-9]*)?$",
    says: "s3://BUCKET/PREFIX",
  });
}

/** `spec.bootstrap`. */
export const bootstrap = withRules(
  object("Start of a replica whose volume is empty: it begins with block 0 when absent.", {
    url: optional(
      archiveUrl(
        "Archive of checkpoints, s3://BUCKET/PREFIX. Its newest good checkpoint of the chain fills the volume before the first start.",
        1_024,
      ),
    ),
    from: optional(
      oneOf(
        ["Sibling"],
        "Sibling: another replica of this Node, or else of the network in this namespace, gives a copy through its gateway, whichever is ready and synced. Without one the chain comes from the peers.",
      ),
    ),
    node: optional(
      text("Name of the Node of this network whose replicas give the copy.", {
        maxLength: 40,
        pattern: NAME,
        says: NAME_SAYS,
      }),
    ),
    creator: optional(
      address(
        "Address of the node key that must have signed the checkpoint; its state is trusted then. Without it the whole state is verified.",
      ),
    ),
    credentialsSecret: optional(
      objectName(`Name of a Secret with any of these keys for the store: ${storeVariables.join(", ")}.`),
    ),
    volumeSnapshot: optional(
      objectName(
        "Name of a VolumeSnapshot of this namespace from which the volume is created. It must be of the same chain.",
      ),
    ),
  }),
  {
    rule: ["url", "volumeSnapshot", "from", "node"]
      .map((name) => `(has(self.${name}) ? 1 : 0)`)
      .join(" + ")
      .concat(" == 1"),
    message: "name one of url, volumeSnapshot, from and node",
  },
  {
    rule: "has(self.url) || !(has(self.creator) || has(self.credentialsSecret))",
    message: "creator and credentialsSecret belong to a url",
  },
);
