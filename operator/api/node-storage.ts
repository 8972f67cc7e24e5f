/** The volumes of a Node. */
import { objectName, quantity } from "./fields.ts";
import { defaulted, integer, object, optional, type Rule, ruled } from "./schema.ts";

/** A class, once it is chosen, stays; `at` is where it is. */
export const classStays = (at: string): Rule => ({
  rule: `has(self.${at}) == has(oldSelf.${at}) && (!has(self.${at}) || self.${at} == oldSelf.${at})`,
  message: "a volume's class cannot be changed",
});

const autoGrow = object("Lets the volume grow by itself. Absent: it grows with size alone.", {
  atPercent: defaulted(integer("It grows when this much of it is used.", 50, 95), 80),
  step: defaulted(quantity("By how much it grows at a time."), "10Gi"),
  limit: quantity("It never grows above this."),
});

/** Of a Node: a size is lowered only to what the claims have, after one that they could not grow to; bytes are rounded up. */
export const sizeStays: Rule = {
  rule: [
    "quantity(self.spec.storage.size).compareTo(quantity(oldSelf.spec.storage.size)) >= 0",
    "(has(self.status) && has(self.status.members) && self.status.members.all(each, has(each.disk) && has(each.disk.claimBytes) && quantity(self.spec.storage.size).asApproximateFloat() > double(each.disk.claimBytes) - 1.0))",
  ].join(" || "),
  message: "a volume cannot shrink: spec.storage.size cannot be below status.members[].disk.claimBytes",
};

/** `spec.storage`, for each replica. */
export const storage = ruled(
  object("The volume with the chain, of each replica.", {
    size: defaulted(quantity("Its size; it can grow when the class allows it."), "10Gi"),
    className: optional(
      objectName("Its StorageClass; the network's default when absent, then the cluster's."),
    ),
    autoGrow: optional(autoGrow),
  }),
  classStays("className"),
  {
    rule: "!has(self.autoGrow) || quantity(self.autoGrow.limit).compareTo(quantity(self.size)) >= 0",
    message: "a volume's limit cannot be below its size",
  },
);
