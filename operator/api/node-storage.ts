/** Schema of `spec.storage`: the volumes of a Node. */
import { objectName, quantity } from "./fields.ts";
import { integer, object, oneOf, optional, type Rule, withDefault, withRules } from "./schema.ts";

/** Rule that makes the StorageClass of an object's field `at` immutable, also under its former name. */
export function classStays(at: string, former: string): Rule {
  const [now, before] = ["self", "oldSelf"].map((self) => {
    const [outer] = at.split(".");
    const isSet = outer === at ? `has(${self}.${at})` : `has(${self}.${outer}) && has(${self}.${at})`;
    return `(${isSet} ? ${self}.${at} : has(${self}.${former}) ? ${self}.${former} : '')`;
  });
  return { rule: `${now} == ${before}`, message: "a volume's class cannot be changed" };
}

/** Smallest useful volume: twice the free space that the node requires to write blocks by default (`db.min-free`). */
export const MIN_VOLUME = "256Mi";

const autoGrow = object("Automatic growth of the volume; disabled when absent.", {
  atPercent: withDefault(integer("Percentage of used space at which the volume grows.", 50, 95), 80),
  step: withDefault(quantity("Increment of the size."), "10Gi"),
  limit: quantity("Maximum size."),
});

/** Rule of a Node: `storage.size` may be lowered only to the size of the claims, after a refused expansion. Bytes are rounded up. */
export const sizeStays: Rule = {
  rule: [
    "quantity(string(self.spec.storage.size)).compareTo(quantity(string(oldSelf.spec.storage.size))) >= 0",
    "(has(self.status) && has(self.status.members) && self.status.members.all(each, has(each.disk) && has(each.disk.claimBytes) && quantity(string(self.spec.storage.size)).asApproximateFloat() > double(each.disk.claimBytes) - 1.0))",
  ].join(" || "),
  message: "a volume cannot shrink: spec.storage.size cannot be below status.members[].disk.claimBytes",
};

/** Returns the StorageClass, also of its former name; undefined when there is none. */
export function classOf(given: {
  readonly storageClassName?: string | undefined;
  readonly className?: string | undefined;
}): string | undefined {
  return given.storageClassName ?? given.className;
}

/** `spec.storage`, for each replica. */
export const storage = withRules(
  object("Data volume of each replica.", {
    size: withDefault(
      quantity("Size of the volume. It can be increased if the StorageClass allows volume expansion."),
      "10Gi",
    ),
    storageClassName: optional(
      objectName("StorageClass; the default of the Network when absent, else that of the cluster."),
    ),
    className: optional(objectName("Deprecated: the former name of storageClassName.")),
    autoGrow: optional(autoGrow),
    whenScaled: withDefault(
      oneOf(
        ["Retain", "Delete"],
        "Retains or deletes the volume of a replica when spec.replicas decreases. Node keys are retained.",
      ),
      "Retain",
    ),
  }),
  classStays("storageClassName", "className"),
  {
    rule: "!has(self.storageClassName) || !has(self.className) || self.storageClassName == self.className",
    message: "className is the former name of storageClassName: remove it",
  },
  {
    rule: "!has(self.autoGrow) || quantity(string(self.autoGrow.limit)).compareTo(quantity(string(self.size))) >= 0",
    message: "a volume's limit cannot be below its size",
  },
  {
    rule: `!isQuantity(string(self.size)) || quantity(string(self.size)).compareTo(quantity('${MIN_VOLUME}')) >= 0`,
    message: `a volume cannot be below ${MIN_VOLUME}: the node stops writing blocks with little free space`,
  },
);
