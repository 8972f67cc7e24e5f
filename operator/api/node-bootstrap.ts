/** Schema of `spec.bootstrap`: the start of a replica whose volume is empty. */
import { address, objectName } from "./fields.ts";
import { object, optional, text, withRules } from "./schema.ts";

/** Variables of an S3-compatible store that a Secret with credentials may have, by their usual names. */
export const storeVariables = [
  "AWS_ACCESS_KEY_ID",
  "AWS_SECRET_ACCESS_KEY",
  "AWS_SESSION_TOKEN",
  "AWS_REGION",
  "AWS_ENDPOINT_URL_S3",
] as const;

/** `spec.bootstrap`. */
export const bootstrap = withRules(
  object("Start of a replica whose volume is empty: it begins with block 0 when absent.", {
    url: optional(
      text(
        "Archive of checkpoints, s3://BUCKET/PREFIX. Its newest good checkpoint of the chain fills the volume before the first start.",
        {
          maxLength: 1_024,
          pattern: "^s3://[-.a-zA-Z0-9]+(/[-._~/a-zA-Z0-9]*)?$",
          says: "s3://BUCKET/PREFIX",
        },
      ),
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
  { rule: "has(self.url) != has(self.volumeSnapshot)", message: "name either url or volumeSnapshot" },
  {
    rule: "has(self.url) || !(has(self.creator) || has(self.credentialsSecret))",
    message: "creator and credentialsSecret belong to a url",
  },
);
