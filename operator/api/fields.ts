/** Fields that several resources have. */
import { defaulted, filled, integer, object, optional, ruled, text, texts } from "./schema.ts";

/** A label's value, and the name of most objects. */
export const NAME = "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$";
const OBJECT_NAME = "^[a-z0-9]([-.a-z0-9]*[a-z0-9])?$";
const KEY = "^[-._a-zA-Z0-9]+$";

/** The name of an object of Kubernetes. */
export const objectName = (description: string) =>
  text(description, { maxLength: 253, pattern: OBJECT_NAME });

/** The name of a namespace. */
export const namespaceName = (description: string) => text(description, { maxLength: 63, pattern: NAME });

/** An account or a contract. */
export const address = (description: string) =>
  text(description, { maxLength: 42, pattern: "^0x[0-9a-fA-F]{40}$" });

/** An amount in peb: decimal digits, since it passes what JSON numbers hold. */
export const peb = (description: string) => text(description, { maxLength: 60, pattern: "^[0-9]{1,60}$" });

/** A port that needs no privilege. */
export const port = (description: string) => integer(description, 1024, 65_535);

/** A count of something. */
export const count = (description: string) => integer(description, 0, Number.MAX_SAFE_INTEGER);

/** A moment, RFC 3339. */
export const instant = (description: string) => text(description, { maxLength: 40, format: "date-time" });

/** An amount as Kubernetes writes it. */
export const quantity = (description: string) =>
  ruled(text(description, { maxLength: 32 }), {
    rule: "isQuantity(self) && quantity(self).isGreaterThan(quantity('0'))",
    message: "must be a quantity above 0, such as 10Gi",
  });

/** The image of a container. */
export const image = (description: string) =>
  text(description, { minLength: 1, maxLength: 512, pattern: "^[^\\s]+$" });

const amounts = (description: string) =>
  filled(
    object(description, {
      cpu: optional(quantity("Processors.")),
      memory: optional(quantity("Memory.")),
    }),
  );

/** What a container asks for and may use. */
export const resources = (description: string) =>
  filled(object(description, { requests: amounts("At least."), limits: amounts("At most.") }));

/** Settings of knit by flag name. */
export const settings = (description: string) => defaulted(texts(description, 64, 1_024), {});

/** A genesis, by which it is known again. */
export const genesisDigest = text(
  "SHA-256 of the genesis file that was noted; of one that people keep, without its layout and later forks.",
  { maxLength: 64, pattern: "^[0-9a-f]{64}$" },
);

/** The value of an annotation that permits something, as far as it is kept. */
export const permission = (description: string) => text(description, { maxLength: 64 });

/** A member of a ConfigMap or a Secret. */
export const member = (description: string) => text(description, { maxLength: 253, pattern: KEY });

/** A ConfigMap with a genesis file. */
export const genesisMap = object("A ConfigMap with the genesis file.", {
  name: objectName("The ConfigMap's name."),
  key: defaulted(member("The member that holds it."), "genesis.json"),
});
