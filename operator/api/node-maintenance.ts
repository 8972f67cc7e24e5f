/** What a Node's maintenance is to be like. Times are in UTC. */
import { defaulted, filled, flag, integer, list, object, oneOf, optional, text } from "./schema.ts";

/** Days of the week, Sunday first as in cron. */
export const weekDays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"] as const;

const schedule = (description: string) =>
  text(`${description} Five fields of cron in UTC: minute, hour, day of month, month, day of week.`, {
    maxLength: 100,
    pattern: "^[-0-9*,/]+( [-0-9*,/]+){4}$",
  });

const maintenanceWindow = object("A time in which maintenance may begin.", {
  days: defaulted(
    list(oneOf(weekDays, "A day."), "The days on which it opens.", {
      maxItems: 7,
      "x-kubernetes-list-type": "set",
    }),
    weekDays,
  ),
  from: text("When it opens.", { maxLength: 5, pattern: "^([01][0-9]|2[0-3]):[0-5][0-9]$" }),
  hours: integer("How long it stays open.", 1, 24),
});

/** `spec.maintenance`. */
export const maintenance = object("Work on the node that the operator does by itself, a replica at a time.", {
  stateMigration: filled(
    object("Writing the state anew without what has gone out of use.", {
      schedule: optional(schedule("When.")),
      diskPercent: optional(integer("Also when this much of the volume is used.", 10, 95)),
    }),
  ),
  trieCache: filled(
    object("Saving the cache of trie nodes, so that the next start is warm.", {
      schedule: optional(schedule("When.")),
      onShutdown: defaulted(flag("Also before the pod ends."), true),
    }),
  ),
  windows: defaulted(
    list(
      maintenanceWindow,
      "Maintenance by schedule or disk use begins in these times alone; at any time when empty.",
      {
        maxItems: 16,
        "x-kubernetes-list-type": "atomic",
      },
    ),
    [],
  ),
});
