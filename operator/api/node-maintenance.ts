/** Schema of `spec.maintenance`. Times are in UTC. */
import {
  flag,
  integer,
  list,
  object,
  oneOf,
  optional,
  text,
  withDefault,
  withMemberDefaults,
} from "./schema.ts";

/** Days of the week, Sunday first as in cron. */
export const weekDays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"] as const;

const schedule = (description: string) =>
  text(`${description} Five fields of cron in UTC: minute, hour, day of month, month, day of week.`, {
    maxLength: 100,
    pattern: "^[-0-9*,/]+( [-0-9*,/]+){4}$",
  });

const maintenanceWindow = object("A weekly window in which maintenance may start.", {
  days: withDefault(
    list(oneOf(weekDays, "A day of the week."), "Days on which the window opens.", {
      maxItems: 7,
      "x-kubernetes-list-type": "set",
    }),
    weekDays,
  ),
  from: text("Opening time, HH:MM in UTC.", { maxLength: 5, pattern: "^([01][0-9]|2[0-3]):[0-5][0-9]$" }),
  hours: integer("Duration in hours.", 1, 24),
});

/** `spec.maintenance`. */
export const maintenance = object("Scheduled maintenance, one replica at a time.", {
  stateMigration: withMemberDefaults(
    object("State migration: copies the current state to a new database, without unused entries.", {
      schedule: optional(schedule("Schedule.")),
      diskPercent: optional(
        integer("Also requests a migration when this percentage of the volume is used.", 10, 95),
      ),
    }),
  ),
  trieCache: withMemberDefaults(
    object("Saves the trie cache, so that the node restarts with a warm cache.", {
      schedule: optional(schedule("Schedule.")),
      onShutdown: withDefault(flag("Also saves the cache before the pod terminates."), true),
    }),
  ),
  windows: withDefault(
    list(
      maintenanceWindow,
      "Windows in which maintenance by schedule or disk use may start; at any time when empty.",
      {
        maxItems: 16,
        "x-kubernetes-list-type": "atomic",
      },
    ),
    [],
  ),
});
