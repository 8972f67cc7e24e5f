/** Schema of `spec.storage`: the volumes of a Node. */
import { objectName, quantity } from "./fields.ts";
import { integer, object, optional, type Rule, withDefault, withRules } from "./schema.ts";

/** Rule that makes the StorageClass in the field `at` immutable. */
export const classStays = (at: string): Rule => ({
  rule: `has(self.${at}) == has(oldSelf.${at}) && (!has(self.${at}) || self.${at} == oldSelf.${at})`,
  message: "a volume's class cannot be changed",
});

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

/** `spec.storage`, for each replica. */
export const storage = withRules(
  object("Data volume of each replica.", {
    size: withDefault(
      quantity("Size of the volume. It can be increased if the StorageClass allows volume expansion."),
      "10Gi",
    ),
    className: optional(
      objectName("StorageClass; the default of the Network when absent, else that of the cluster."),
    ),
    autoGrow: optional(autoGrow),
  }),
  classStays("className"),
  {
    rule: "!has(self.autoGrow) || quantity(string(self.autoGrow.limit)).compareTo(quantity(string(self.size))) >= 0",
    message: "a volume's limit cannot be below its size",
  },
  {
    rule: `!isQuantity(string(self.size)) || quantity(string(self.size)).compareTo(quantity('${MIN_VOLUME}')) >= 0`,
    message: `a volume cannot be below ${MIN_VOLUME}: the node stops writing blocks with little free space`,
  },
);
